/** The state of a Node stream. */
interface NodeStream {
  readonly readableDidRead?: boolean;
  readonly readableFlowing?: boolean | null;
  /**
   * When a response ends, Node drops the body of its request unless something has begun to read it.
   */
  readonly _dumped?: boolean;
  /** Of streams without `readableDidRead`: those of readable-stream 3 and of minipass. */
  readonly _readableState?: { readonly flowing?: boolean | null };
  readonly flowing?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  pause(): void;
  on?(event: 'end', listener: () => void): unknown;
}

/** Streams and iterators that an upload has already been given. */
const claimed = new WeakSet<object>();

/**
 * Reserves a stream for one upload. Otherwise the rest of one that somebody has partly read would
 * become the object. A Node stream that flows because the program also listens to it is paused until
 * it is read here.
 */
export function claim(body: object): void {
  const isReadOnce = body instanceof ReadableStream || 'next' in body || 'pipe' in body;
  if (!isReadOnce) return;
  if (claimed.has(body) || wasRead(body)) throw readElsewhere();
  claimed.add(body);
  const stream = body as object as NodeStream;
  if (stream.readableFlowing === true) stream.pause();
}

/**
 * Throws when something else has read the body meanwhile, or when there is nothing left to read.
 */
export function requireUnread(body: object): void {
  const { readableDidRead, flowing, _dumped } = body as NodeStream;
  if (readableDidRead || flowing || _dumped) throw readElsewhere();
}

function wasRead(body: object): boolean {
  if (body instanceof ReadableStream) return isDisturbed(body);
  const { readableDidRead, _readableState, flowing, destroyed, errored } = body as NodeStream;
  const isRead = readableDidRead ?? (flowing || typeof _readableState?.flowing === 'boolean');
  // A stream that has failed reports its own error when it is read.
  return isRead || Boolean(destroyed && !errored);
}

/**
 * Watches a Node stream, and returns whether it has not ended. The iterators of packages such as
 * readable-stream also end when a stream is closed before its end.
 */
export function endOf(body: object): () => boolean {
  let isCut = 'pipe' in body;
  (body as NodeStream).on?.('end', () => {
    isCut = false;
  });
  return () => isCut;
}

/** A web stream does not show in any other way that it was read. A locked one is rejected, too. */
function isDisturbed(stream: ReadableStream): boolean {
  try {
    new Response(stream);
    return false;
  } catch {
    return true;
  }
}

export const readElsewhere = () =>
  new TypeError('This stream was already read or destroyed. Pass a new one, or the data.');
