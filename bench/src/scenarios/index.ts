import { flat } from './flat.js';
import { largeObjects } from './large.js';
import { list } from './list.js';
import { memory } from './memory.js';
import { completion, parallel } from './multipart.js';
import { pauses } from './pauses.js';
import type { Scenario } from './scenario.js';
import { counted, underLoad } from './under-load.js';

/** All scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  ...underLoad,
  ...counted,
  ...largeObjects,
  parallel,
  list,
  ...flat,
  completion,
  pauses,
  ...memory,
];
