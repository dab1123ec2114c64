import { carriers } from '../http/carriers.js';
import { testConformance } from '../http/conformance.js';
import { memoryStorage } from '../http/servers.js';

/** Fastify answers these requests before any plugin gets them. */
const answeredByFastify = {
  'cross-origin': 'a path that is not UTF-8',
  'cross-origin-other': 'a path that is not UTF-8',
  'cross-origin-none': 'a path that is not UTF-8',
  'keys-unreadable': 'a path that is not UTF-8',
  'method-not-allowed': 'a method that it does not know',
};

testConformance(carriers.fastify, memoryStorage, { except: answeredByFastify });
