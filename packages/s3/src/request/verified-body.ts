import {
  type BodyTimes,
  type Checksum,
  type RequestBody,
  startChecksum,
} from '@bucketware/core/dialect';
import type { Payload } from '@bucketware/signature';
import { answerable } from '../errors.js';
import { arriving } from './arriving.js';
import { type ChecksumKind, checksumHeader, differs, readChecksum } from './checksums.js';

/** A checksum that a client sends before its data or, without `value`, after it. */
export interface AwaitedChecksum {
  readonly kind: ChecksumKind;
  readonly value: string | undefined;
  /** Whether the storage computes it, to store it with the data. */
  readonly isAsked: boolean;
}

/**
 * The body of a request, with its chunks decoded. Its end is reached only if it matches the
 * signature and the checksum, so nothing else is ever committed.
 */
export class VerifiedBody implements RequestBody {
  readonly #sent: RequestBody;
  readonly #announced: number | undefined;
  readonly #payload: Payload;
  readonly #awaited: AwaitedChecksum | undefined;
  /** Bytes that the app has read are also passed as chunks, because all must be verified. */
  readonly parsed = undefined;

  /** `announced`: Content-Length. */
  constructor(
    sent: RequestBody,
    announced: number | undefined,
    payload: Payload,
    awaited: AwaitedChecksum | undefined,
  ) {
    this.#sent = sent;
    this.#announced = announced;
    this.#payload = payload;
    this.#awaited = awaited;
  }

  async *chunks(times: BodyTimes): AsyncGenerator<Uint8Array> {
    const checksum = await this.#start();
    const sent = arriving(this.#sent, this.#announced, times);
    try {
      for await (const piece of this.#payload.open(sent)) {
        checksum?.update(piece);
        yield piece;
      }
    } catch (error) {
      throw answerable(error);
    }
    this.#end(checksum);
  }

  /** Chunks are decoded as they arrive: a small body may arrive in any number of them. */
  whole(times: BodyTimes): Promise<Uint8Array> | undefined {
    if (this.#payload.size !== undefined || this.#sent.parsed !== undefined) return undefined;
    const arrival = this.#sent.whole?.(times);
    return arrival && this.#whole(arrival);
  }

  async #whole(arrival: Promise<Uint8Array>): Promise<Uint8Array> {
    const [checksum, arrived] = await Promise.all([this.#start(), arrival]);
    const bytes = decode(this.#payload, arrived);
    checksum?.update(bytes);
    this.#end(checksum);
    return bytes;
  }

  /** Compares the computed checksum with the one that followed the data. */
  verify(checksums: readonly Checksum[]): void {
    if (this.#awaited?.isAsked !== true) return;
    const { kind } = this.#awaited;
    this.#compare(checksums.find(({ algorithm }) => algorithm === kind)?.value);
  }

  async #start(): Promise<Running | undefined> {
    if (this.#awaited === undefined || this.#awaited.isAsked) return undefined;
    return startChecksum(this.#awaited.kind);
  }

  #end(checksum: Running | undefined): void {
    if (checksum !== undefined) this.#compare(checksum.done());
  }

  #compare(actual: string | undefined): void {
    const { kind, value } = this.#awaited as AwaitedChecksum;
    const expected = value ?? this.#payload.trailers.get(checksumHeader(kind)) ?? '';
    if (actual !== readChecksum(kind, expected).value) throw differs(kind);
  }
}

type Running = Awaited<ReturnType<typeof startChecksum>>;

function decode(payload: Payload, bytes: Uint8Array): Uint8Array {
  try {
    return payload.decode(bytes);
  } catch (error) {
    throw answerable(error);
  }
}
