import { checkBucketName, checkObjectKey } from '../../engine/names.js';
import { StorageError } from '../../errors.js';
import { findUnknownName } from '../../options.js';
import type { ObjectName } from '../action.js';
import { readConditions } from './conditions.js';
import { InvalidValue, isObject, parameter } from './parameter.js';

/** The object that is copied. */
const objectName = parameter<ObjectName>((given) => {
  if (!isObject(given)) throw new InvalidValue('an object with bucket and key');
  // A version or a condition in the wrong place must not be ignored.
  const unknownName = findUnknownName(given, ['bucket', 'key']);
  if (unknownName !== undefined) {
    throw new StorageError('InvalidArgument', `source has no field ${unknownName}`);
  }
  return { bucket: checkBucketName(given.bucket), key: checkObjectKey(given.key) };
});

/** The source of a copy, with its conditions. */
export const copySource = { source: objectName.required(), ...readConditions };

/** The current key of the object. */
export const renameSource = { from: parameter<string>(checkObjectKey).required() };
