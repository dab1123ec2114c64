import { MAX_PARTS } from '../../limits.js';
import { InvalidValue, integer, parameter } from './parameter.js';

/** The parameter of every action on one upload. */
export const uploadId = parameter<string>((value) => {
  if (typeof value !== 'string' || value === '') throw new InvalidValue('the id of an upload');
  return value;
}).required();

/** The number of a part, from 1 to 10,000. */
export const partNumber = integer(1, MAX_PARTS).required();
