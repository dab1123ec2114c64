/** The parameters of a request with a body, named as for fetch. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyInit;
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether upload progress is available. Only pages have XMLHttpRequest; fetch does not report how
 * much was sent.
 */
export const hasProgress = (): boolean => typeof XMLHttpRequest === 'function';

/** Sends a body like fetch, and reports how many bytes were sent. */
export function fetchWithProgress(
  url: URL,
  { method, headers, body, credentials, signal }: Sent,
  onProgress: (loaded: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const settle = (finish: () => void) => () => {
      signal?.removeEventListener('abort', abort);
      finish();
    };
    request.open(method, url);
    request.responseType = 'arraybuffer';
    request.withCredentials = credentials === 'include';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = settle(() => resolve(responseOf(request, url)));
    request.onerror = settle(() => reject(new TypeError()));
    request.onabort = settle(() => reject(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    request.send(body as XMLHttpRequestBodyInit);
  });
}

async function responseOf(request: XMLHttpRequest, url: URL): Promise<Response> {
  // The storage never redirects: this is the login of the app in front of it.
  if (request.responseURL !== url.href) return new Response(null, { status: 401 });
  const lines = request.getAllResponseHeaders().matchAll(/^(.+?): *(.*?)\r?$/gm);
  const headers = Array.from(lines, ([, name, value]) => [name, value] as [string, string]);
  const { status } = request;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : (request.response as ArrayBuffer), { status, headers });
}
