import { testConformance } from '../http/conformance.js';
import { diskStorage } from '../http/disk-storage.js';
import { onKoa } from '../http/servers.js';

testConformance(onKoa, diskStorage);
