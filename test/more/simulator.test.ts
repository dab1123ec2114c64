import { testCrashes } from '../simulator/crashes.js';

testCrashes({ seconds: 30, fewest: 20_000 });
