import { testConformance } from '../http/conformance.js';
import { memoryStorage, onNode } from '../http/servers.js';

testConformance(onNode, memoryStorage);
