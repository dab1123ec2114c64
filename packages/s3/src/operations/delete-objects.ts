import { actions, type ErrorCode, operation, StorageError } from '@bucketware/core/dialect';
import { namedInS3, unsupported } from '../errors.js';
import { inBody, requireNullVersion } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { type DeleteObjects, deleteObjects as document } from '../xml/documents/delete.js';
import { writeXml } from '../xml/write.js';

/** Throws for conditions: if one were ignored, a newer object could be deleted. */
const listed = ({
  Key: key,
  VersionId: version,
  ...conditions
}: DeleteObjects['Object'][number]) => {
  requireNullVersion(version);
  if (Object.values(conditions).every((value) => value === undefined)) return { key };
  throw unsupported(
    'Conditions on listed objects are not supported. Delete these objects one by one.',
  );
};

/** More than any code and message of a failure. */
const LONG = ' '.repeat(200);

export const deleteObjects = operation(actions.deleteMultipleObjects, {
  route: { method: 'POST', query: ['delete'] },
  body: xmlBody(document),
  input: { objects: inBody('Object', (body: DeleteObjects) => body.Object.map(listed)) },
  responseInput: { quiet: inBody('Quiet', (body: DeleteObjects) => body.Quiet) },

  responseSize({ objects }) {
    const worst = objects.map(({ key }) => ({ Key: key, Message: LONG }));
    return Buffer.byteLength(writeXml('DeleteResult', { Error: worst }));
  },

  respond({ errors }, { input, responseInput }) {
    // Missing objects count as deleted.
    const failed = errors.filter(({ code }) => code !== 'NoSuchKey');
    const keys = new Set(failed.map(({ key }) => key));
    const deleted = input.objects.filter(({ key }) => !keys.has(key));
    return xml(200, 'DeleteResult', {
      Deleted: responseInput.quiet ? undefined : deleted.map(({ key }) => ({ Key: key })),
      Error: failed.map(({ key, code, message }) => ({
        Key: key,
        Code: namedInS3(new StorageError(code as ErrorCode))[0],
        Message: message,
      })),
    });
  },
});
