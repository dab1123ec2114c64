import { testConformance } from './conformance.js';
import { carriers, memoryStorage } from './servers.js';

testConformance(carriers.express5, memoryStorage);
