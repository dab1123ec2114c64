import { StorageError } from '@bucketware/core/dialect';

/** In S3, a condition on an object that does not exist fails with NoSuchKey. */
export function noSuchObject({ code, details }: StorageError): undefined {
  if (code === 'PreconditionFailed' && details.absent) throw new StorageError('NoSuchKey');
}
