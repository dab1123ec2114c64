import { KEYVS } from '../keyv/fixtures.js';
import { testServers, testSharing } from '../keyv/server-suites.js';

/** Earlier versions of Keyv are tested in test/more. */
testServers(KEYVS.slice(-1));
testSharing();
