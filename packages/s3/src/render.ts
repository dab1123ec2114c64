import {
  empty,
  errorHeaders,
  type StorageError,
  type StorageResponse,
  textType,
  textual,
} from '@bucketware/core/dialect';
import { namedInS3, S3Error } from './errors.js';
import { writeXml, type XmlChildren } from './xml/write.js';

type Headers = Readonly<Record<string, string>>;

export const XML_HEADERS = textType('application/xml');

/** A response with an XML body. */
export const xml = (
  status: number,
  root: string,
  content: XmlChildren,
  headers: Headers = {},
): StorageResponse => textual(status, writeXml(root, content), headers, XML_HEADERS);

/** An XML body that follows spaces, and therefore must not begin with an XML declaration. */
export const lateXml = (
  root: string,
  content: XmlChildren,
  { status = 200, headers = {} }: { status?: number; headers?: Headers } = {},
): StorageResponse =>
  textual(status, writeXml(root, content).replace(/^<\?.*\?>\n/, ''), headers, XML_HEADERS);

/**
 * Renders an error. S3 errors have no namespace, and may follow the spaces of a delayed response.
 */
export function renderError(error: StorageError, requestId: string): StorageResponse {
  const [code, status] = namedInS3(error);
  const headers = errorHeaders(error, status);
  if (status === 304) return empty(304, headers);
  const more = error instanceof S3Error ? error.fields : {};
  const content = { Code: code, Message: error.message, ...more, RequestId: requestId };
  return lateXml('Error', { '@xmlns': undefined, ...content }, { status, headers });
}
