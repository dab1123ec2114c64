import { s3 as kit } from '@bucketware/conformance';
import { s3 } from '@bucketware/s3';
import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { diskStorage } from '../http/disk-storage.js';
import { credentials } from '../s3/servers.js';

testConformance(carriers.express5, diskStorage, { kit, dialect: s3({ credentials }) });
