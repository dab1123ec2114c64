import { KEYVS } from './fixtures.js';
import { testServers, testSharing } from './server-suites.js';

/** Earlier versions of Keyv are tested in test/more. */
testServers(KEYVS.slice(-1));
testSharing();
