import { testConformance } from '../http/conformance.js';
import { onKoa } from '../http/servers.js';
import { postgresServer } from '../keyv/servers.js';
import { s3Gateway } from '../s3-blobs/gateway.js';
import { skip, storageOn } from '../s3-blobs/gateway-storage.js';

const [gateway, server] = await Promise.all([s3Gateway(), postgresServer()]);
if (typeof gateway === 'string') skip(gateway);
else if (typeof server === 'string') skip(server);
else testConformance(onKoa, storageOn(gateway, server));
