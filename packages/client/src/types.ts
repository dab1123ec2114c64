/** What operations take and return. */

export type * from './types/common.js';
export type * from './types/lists.js';
export type * from './types/objects.js';
export type * from './types/settings.js';
