import { StorageError } from '../errors.js';

/** Reads the failure that a response reports. */
export async function failureIn(response: Response, prefix: string): Promise<StorageError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => ''); // The status is enough.
  const { code, message, requestId } = bodyOf(text);
  const details = {
    status,
    requestId: requestId ?? headers.get(`${prefix}request-id`) ?? undefined,
    retryAfter: numberIn(headers.get('retry-after')),
    nextAppendOffset: numberIn(headers.get(`${prefix}next-append-offset`)),
    // A proxy or a timeout of the app may send 503 while the request is still running.
    isRefusal: status === 503 && requestId !== undefined,
  };
  // When a storage finds nothing, it responds in JSON, so this page is from the app around it.
  if (code === undefined && status === 404 && text !== '') return notFromStorage(response);
  return new StorageError(code ?? codeOf(status), message ?? messageOf(status, text), details);
}

export const numberIn = (text: string | null): number | undefined =>
  text === null || !/^\d+$/.test(text) ? undefined : Number(text);

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
}

/** The error body of a storage. Undefined fields: the response came from the app in front of it. */
function bodyOf(text: string): ErrorBody {
  try {
    const { code, message, requestId } = JSON.parse(text);
    if (typeof code === 'string' && typeof message === 'string')
      return { code, message, requestId };
  } catch {} // Not JSON, so not a response of the storage.
  return {};
}

/** The codes for responses without a body, such as those to HEAD and 304. */
const CODES: Readonly<Record<number, string>> = {
  304: 'NotModified',
  401: 'Unauthorized',
  403: 'AccessDenied',
  404: 'NotFound',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
  429: 'SlowDown',
  500: 'InternalError',
  502: 'ServiceUnavailable',
  503: 'ServiceUnavailable',
  504: 'ServiceUnavailable',
  507: 'InsufficientStorage',
};

const codeOf = (status: number): string => CODES[status] ?? 'UnexpectedResponse';

const MESSAGES: Readonly<Record<number, string>> = {
  304: 'The object has not changed.',
  401: 'Your session has ended, or you are not logged in. Log in again.',
  403: 'You are not allowed to do this.',
  404: 'There is no such bucket or object.',
  412: 'A condition failed.',
  507: 'The storage is full.',
};

const messageOf = (status: number, text: string): string =>
  MESSAGES[status] ?? `The server responded with ${status}: ${text.slice(0, 200) || 'no body'}.`;

/** Something else than a storage responds at the endpoint. */
export function notFromStorage({ url, status }: Response): StorageError {
  const source = url && ` from ${url.replace(/\?.*/s, '')}`;
  const message = `The response${source} is not from a storage. Check the option endpoint, and where your app mounts the storage.`;
  return new StorageError('UnexpectedResponse', message, { status });
}

/** The JSON of a response. */
export function parsed(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^\s*(\{|$)/.test(text)) throw error; // The response broke off.
    throw notFromStorage(response);
  }
}

/** No response arrived. */
export function unreachable(url: URL, cause: unknown): StorageError {
  const message = `No response from ${url.origin}. Is the server running?`;
  return new StorageError('NetworkError', message, { cause });
}
