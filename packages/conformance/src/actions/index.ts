import type { Case } from './case.js';
import { cases as conditions } from './cases/conditions.js';
import { cases as deleteObject } from './cases/delete-object.js';
import { cases as ranges } from './cases/ranges.js';

/** What every dialect must prove, by actions. */
export const actionCases: readonly Case[] = [...ranges, ...conditions, ...deleteObject];
