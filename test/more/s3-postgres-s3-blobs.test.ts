import { s3 as kit } from '@bucketware/conformance';
import { s3 } from '@bucketware/s3';
import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { credentials } from '../s3/servers.js';
import { withGateway } from '../s3-blobs/gateway-storage.js';

await withGateway((open) => {
  const dialect = s3({ credentials });
  testConformance(carriers.express5, open, { kit, dialect });
});
