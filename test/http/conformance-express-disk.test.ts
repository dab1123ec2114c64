import { carriers } from './carriers.js';
import { testConformance } from './conformance.js';
import { diskStorage } from './disk-storage.js';

testConformance(carriers.express5, diskStorage);
