import type { Case } from './case.js';
import { cases as conditions } from './cases/conditions.js';
import { cases as deleteObject } from './cases/delete-object.js';
import { cases as digests } from './cases/digests.js';
import { cases as getObject } from './cases/get-object.js';
import { cases as metadata } from './cases/metadata.js';
import { cases as overrides } from './cases/overrides.js';
import { cases as putObject } from './cases/put-object.js';
import { cases as ranges } from './cases/ranges.js';
import { cases as writeConditions } from './cases/write-conditions.js';

/** What every dialect must prove, by actions. */
export const actionCases: readonly Case[] = [
  ...conditions,
  ...deleteObject,
  ...digests,
  ...getObject,
  ...metadata,
  ...overrides,
  ...putObject,
  ...ranges,
  ...writeConditions,
];
