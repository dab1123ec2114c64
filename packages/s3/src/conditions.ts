import { StorageError } from '@bucketware/core/dialect';

/** An object that a condition expects, and that is not there, is NoSuchKey in S3. */
export function noSuchObject({ code, details }: StorageError): undefined {
  if (code === 'PreconditionFailed' && details.absent) throw new StorageError('NoSuchKey');
}
