import { testConformance } from './conformance.js';
import { carriers, diskStorage } from './servers.js';

testConformance(carriers.koa, diskStorage);
