import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { memoryStorage } from '../http/servers.js';

const reason = 'the keys lead out of the mount where Hono resolves them, so they are refused';

testConformance(carriers.hono, memoryStorage, {
  except: { 'keys-odd': reason, 'keys-raw-dots': reason },
});
