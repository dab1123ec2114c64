import type { BodyTimes, RequestBody } from '@bucketware/core/dialect';
import type { Payload } from '@bucketware/signature';
import { answerable } from '../errors.js';
import {
  type ChecksumKind,
  checksumHeader,
  differs,
  type RunningChecksum,
  requireShape,
  startChecksum,
} from './checksums.js';

/** A checksum that a client sends ahead of its bytes or, without `value`, behind them. */
export interface AwaitedChecksum {
  readonly kind: ChecksumKind;
  readonly value: string | undefined;
}

/**
 * The body of a request without the coding of its chunks. Its end is reached only when it is what
 * the signature and the checksum say; so nothing else is ever committed.
 */
export class VerifiedBody implements RequestBody {
  readonly #sent: RequestBody;
  readonly #payload: Payload;
  readonly #awaited: AwaitedChecksum | undefined;
  #checksum: string | undefined;
  #parsed: RequestBody['parsed'];

  constructor(sent: RequestBody, payload: Payload, awaited: AwaitedChecksum | undefined) {
    this.#sent = sent;
    this.#payload = payload;
    this.#awaited = awaited;
  }

  /** Bytes that a parser of the host has kept. Those that it made something else of are gone. */
  get parsed(): RequestBody['parsed'] {
    const found = this.#sent.parsed;
    if (found === undefined || this.#parsed !== undefined) return this.#parsed;
    const { value } = found;
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#parsed = {
      value: bytes instanceof Uint8Array ? decode(this.#payload, bytes) : undefined,
    };
    return this.#parsed;
  }

  async *chunks(times: BodyTimes): AsyncGenerator<Uint8Array> {
    const checksum = await this.#start();
    try {
      for await (const piece of this.#payload.open(this.#sent.chunks(times))) {
        checksum?.update(piece);
        yield piece;
      }
    } catch (error) {
      throw answerable(error);
    }
    this.#end(checksum);
  }

  async whole(times: BodyTimes): Promise<Uint8Array> {
    const checksum = await this.#start();
    const bytes = decode(this.#payload, await this.#sent.whole(times));
    checksum?.update(bytes);
    this.#end(checksum);
    return bytes;
  }

  /** The checksum that was verified, as a header of the answer. */
  received(): Record<string, string> {
    if (this.#awaited === undefined || this.#checksum === undefined) return {};
    return { [checksumHeader(this.#awaited.kind)]: this.#checksum };
  }

  async #start(): Promise<RunningChecksum | undefined> {
    return this.#awaited && startChecksum(this.#awaited.kind);
  }

  #end(checksum: RunningChecksum | undefined): void {
    if (checksum === undefined || this.#awaited === undefined) return;
    const { kind, value } = this.#awaited;
    const expected = value ?? this.#payload.trailers.get(checksumHeader(kind)) ?? '';
    const actual = checksum.done();
    if (actual !== requireShape(kind, expected)) throw differs(kind);
    this.#checksum = actual;
  }
}

function decode(payload: Payload, bytes: Uint8Array): Uint8Array {
  try {
    return payload.decode(bytes);
  } catch (error) {
    throw answerable(error);
  }
}
