import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { memoryStorage } from '../http/servers.js';

testConformance(carriers.hono, memoryStorage);
