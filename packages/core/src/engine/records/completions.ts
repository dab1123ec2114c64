import { RecordKind } from './kind.js';
import { isText, shape } from './shape.js';

/** How an upload was completed, kept for a day for clients that lost the response. */
export interface CompletionRecord {
  /** The id of the bucket. */
  readonly bucket: string;
  readonly key: string;
  /** Digest of the part list. */
  readonly list: string;
}

/** The results of uploads, by upload id. */
export const completionRecords = new RecordKind<string, CompletionRecord>({
  name: 'the result of an upload',
  prefix: 'c/',
  key: (uploadId) => `c/${uploadId}`,
  parse: (key) => key.slice(2),
  fits: shape<CompletionRecord>({ bucket: isText, key: isText, list: isText }),
});
