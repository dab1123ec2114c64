import { KEYVS } from '../keyv/fixtures.js';
import { testServers } from '../keyv/server-suites.js';

testServers(KEYVS.slice(0, -1));
