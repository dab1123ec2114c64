import { testOpenings } from '../drivers/processes.js';

testOpenings('lmdb', 'relaxed');
testOpenings('sqlite', 'full');
testOpenings('sqlite', 'relaxed');
