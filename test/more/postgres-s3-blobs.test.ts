import { testConformance } from '../http/conformance.js';
import { onKoa } from '../http/servers.js';
import { withGateway } from '../s3-blobs/gateway-storage.js';

await withGateway((open) => testConformance(onKoa, open));
