import {
  type BodyTimes,
  type Checksum,
  type RequestBody,
  startChecksum,
} from '@bucketware/core/dialect';
import type { Payload } from '@bucketware/signature';
import { asS3Error } from '../errors.js';
import { arriving } from './arriving.js';
import { type ChecksumKind, checksumHeader, differs, readChecksum } from './checksums.js';

/** A checksum that a client sends before its data or, without `value`, after it. */
export interface ExpectedChecksum {
  readonly kind: ChecksumKind;
  readonly value: string | undefined;
  /** Whether the storage computes and compares it, and stores it with the data. */
  readonly isStored: boolean;
}

/**
 * The body of a request, with its chunks decoded. Reading it fails before its end unless it matches
 * the signature and the checksum, so that no other body is ever committed.
 */
export class VerifiedBody implements RequestBody {
  readonly #sent: RequestBody;
  readonly #announced: number | undefined;
  readonly #payload: Payload;
  readonly #awaited: ExpectedChecksum | undefined;
  /** Undefined even if the app has parsed the body, because every byte must be verified. */
  readonly parsed = undefined;

  /** `announced`: Content-Length. */
  constructor(
    sent: RequestBody,
    announced: number | undefined,
    payload: Payload,
    awaited: ExpectedChecksum | undefined,
  ) {
    this.#sent = sent;
    this.#announced = announced;
    this.#payload = payload;
    this.#awaited = awaited;
  }

  get mayBeUnannounced(): boolean {
    return this.#sent.mayBeUnannounced === true;
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
      throw asS3Error(error);
    }
    this.#end(checksum);
  }

  /** A body in chunks is decoded as it arrives, because even a small one may have many chunks. */
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
    if (this.#awaited?.isStored !== true) return;
    const { kind } = this.#awaited;
    this.#compare(checksums.find(({ algorithm }) => algorithm === kind)?.value);
  }

  async #start(): Promise<Running | undefined> {
    if (this.#awaited === undefined || this.#awaited.isStored) return undefined;
    return startChecksum(this.#awaited.kind);
  }

  #end(checksum: Running | undefined): void {
    if (checksum !== undefined) this.#compare(checksum.done());
  }

  #compare(actual: string | undefined): void {
    const { kind, value } = this.#awaited as ExpectedChecksum;
    const expected = value ?? this.#payload.trailers.get(checksumHeader(kind)) ?? '';
    if (actual !== readChecksum(kind, expected).value) throw differs(kind);
  }
}

type Running = Awaited<ReturnType<typeof startChecksum>>;

function decode(payload: Payload, bytes: Uint8Array): Uint8Array {
  try {
    return payload.decode(bytes);
  } catch (error) {
    throw asS3Error(error);
  }
}
