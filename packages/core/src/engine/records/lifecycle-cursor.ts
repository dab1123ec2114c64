import { singleRecord } from './kind.js';
import { isText, oneOf, shape } from './shape.js';

/** Where a lifecycle run ended early. */
export interface LifecycleCursor {
  readonly bucket: string;
  readonly action: 'DeleteObject' | 'AbortMultipartUpload';
  /** The key of a record. */
  readonly start: string;
}

export const lifecycleCursorRecord = singleRecord<LifecycleCursor>('s/lifecycle', {
  name: 'the place where a lifecycle run ended',
  fits: shape<LifecycleCursor>({
    bucket: isText,
    action: oneOf('DeleteObject', 'AbortMultipartUpload'),
    start: isText,
  }),
});
