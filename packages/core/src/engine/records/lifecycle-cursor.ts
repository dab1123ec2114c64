import { RecordKind } from './kind.js';
import { isText, oneOf, shape } from './shape.js';

/** Where a lifecycle run ended early. */
export interface LifecycleCursor {
  readonly bucket: string;
  readonly action: 'DeleteObject' | 'AbortMultipartUpload';
  /** The key of a record. */
  readonly start: string;
}

export const lifecycleCursorRecord = new RecordKind<void, LifecycleCursor>({
  name: 'the place where a lifecycle run ended',
  prefix: 's/lifecycle',
  key: () => 's/lifecycle',
  parse: () => undefined,
  fits: shape<LifecycleCursor>({
    bucket: isText,
    action: oneOf('DeleteObject', 'AbortMultipartUpload'),
    start: isText,
  }),
});
