import { testConformance } from '../http/conformance.js';
import { carriers, memoryStorage } from '../http/servers.js';

testConformance(carriers.hono, memoryStorage);
