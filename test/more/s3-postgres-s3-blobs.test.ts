import { s3 as kit } from '@bucketware/conformance';
import { s3 } from '@bucketware/s3';
import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { postgresServer } from '../keyv/servers.js';
import { credentials } from '../s3/servers.js';
import { s3Gateway } from '../s3-blobs/gateway.js';
import { skip, storageOn } from '../s3-blobs/gateway-storage.js';

const [gateway, server] = await Promise.all([s3Gateway(), postgresServer()]);
if (typeof gateway === 'string') skip(gateway);
else if (typeof server === 'string') skip(server);
else {
  const dialect = s3({ credentials });
  testConformance(carriers.express5, storageOn(gateway, server), { kit, dialect });
}
