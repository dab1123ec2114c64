import { KEYVS } from '../keyv/fixtures.js';
import { testServers, testSharing, testStrictIsolation } from '../keyv/server-suites.js';

/** Earlier versions of Keyv are tested in keyv-servers.test.ts. */
testServers(KEYVS.slice(-1));
testSharing();
testStrictIsolation();
