import { StorageError } from '../errors.js';
import { Gathered } from '../model/gathered.js';
import type { StorageRequest } from './message.js';
import type { JsonBody } from './operation.js';
import { whileTheyCome } from './stall.js';

/**
 * The JSON of a request, whatever Content-Type it claims. The size is bounded before anything is
 * parsed. What a body parser of the host made of it is taken as it is.
 */
export async function readJson(
  request: StorageRequest,
  announced: number | undefined,
  { maxBytes, tooLarge, optional }: JsonBody,
  stallTimeout: number | undefined,
): Promise<unknown> {
  if (announced !== undefined && announced > maxBytes) throw over(tooLarge, maxBytes);
  if (optional && announced === 0) return undefined;
  if (request.bodyConsumed) return fromHost(request.parsedBody);
  const gathered = new Gathered();
  for await (const chunk of whileTheyCome(request.body, stallTimeout)) {
    if (gathered.size + chunk.length > maxBytes) throw over(tooLarge, maxBytes);
    gathered.add(chunk);
  }
  return optional && gathered.size === 0 ? undefined : parse(gathered.bytes);
}

function fromHost(parsed: unknown): unknown {
  if (typeof parsed === 'string') return parse(Buffer.from(parsed));
  if (parsed instanceof Uint8Array) return parse(parsed);
  if (parsed === undefined) throw eatenBody();
  return parsed;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new StorageError('MalformedJSON', undefined, { cause });
  }
}

const over = (code: JsonBody['tooLarge'], maxBytes: number) =>
  new StorageError(code, `The JSON body may have at most ${maxBytes} bytes.`);

/** The host read the bytes and did not keep them: a mistake in its set-up, so it is told how to mend it. */
export const eatenBody = () =>
  new StorageError(
    'InternalError',
    'A body parser read the bytes before they reached the storage. ' +
      'Mount the storage in front of body parsers such as express.json() or koa-bodyparser.',
  );
