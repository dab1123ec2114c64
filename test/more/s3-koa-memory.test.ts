import { s3 as kit } from '@bucketware/conformance';
import { s3 } from '@bucketware/s3';
import { testConformance } from '../http/conformance.js';
import { carriers, memoryStorage } from '../http/servers.js';
import { credentials } from '../s3/servers.js';

testConformance(carriers.koa, memoryStorage, { kit, dialect: s3({ credentials }) });
