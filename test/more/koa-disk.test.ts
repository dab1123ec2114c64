import { testConformance } from '../http/conformance.js';
import { carriers, diskStorage } from '../http/servers.js';

testConformance(carriers.koa, diskStorage);
