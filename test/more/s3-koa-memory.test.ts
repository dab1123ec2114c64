import { s3 as kit } from '@bucketware/conformance';
import { s3 } from '@bucketware/s3';
import { testConformance } from '../http/conformance.js';
import { memoryStorage, onKoa } from '../http/servers.js';
import { credentials } from '../s3/servers.js';

testConformance(onKoa, memoryStorage, { kit, dialect: s3({ credentials }) });
