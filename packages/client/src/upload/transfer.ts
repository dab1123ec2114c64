import { joinCrc32 } from '../checksums/crc32.js';
import type { Checksums } from '../checksums/index.js';
import { explained, hasCode, StorageError } from '../errors.js';
import { utf8 } from '../http/encoding.js';
import type { Operations } from '../operations.js';
import { STORED } from '../parameters.js';
import type { Control } from './control.js';
import type { Uploaded, UploadOptions } from './options.js';
import type { StartedUploads } from './register.js';
import { known, type Piece, type Pieces, piecesOf } from './source.js';
import { findUnfinished, isPiece, partsOf, type Unfinished } from './unfinished.js';

type Given = Omit<UploadOptions, 'signal' | 'onInterruption'> & { readonly partSize: number };

interface Sent {
  readonly etag: string;
  readonly size: number;
  readonly crc32: number;
}

/** The environment of an upload. */
export interface TransferContext {
  /** The endpoint, bucket and key. */
  readonly place: string;
  readonly started: StartedUploads;
  readonly checksums: Checksums;
}

/** What an upload keeps from its start. */
const KEPT = [
  ...STORED,
  ...(['metadata', 'storageClass', 'acl', 'grantRead', 'grantFullControl'] as const),
];

const pick = <T, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;

/** Sends the pieces of one body. */
export class Transfer {
  uploadId: string | undefined;
  readonly #client: Operations;
  readonly #control: Control;
  readonly #given: Given;
  readonly #around: TransferContext;
  readonly #pieces: Pieces;
  readonly #sent: Sent[] = [];
  /** The bytes being sent, by part. */
  readonly #leaving = new Map<number, number>();
  #loaded = 0;
  #resumed = 0;

  constructor(client: Operations, control: Control, given: Given, around: TransferContext) {
    this.#client = client;
    this.#control = control;
    this.#given = given;
    this.#around = around;
    this.#pieces = piecesOf(given.body, given.partSize);
  }

  async run(): Promise<Uploaded> {
    try {
      const first = (await this.#pieces.next()) as Piece;
      const isWhole = this.#isLast(first) && this.#given.uploadId === undefined;
      const uploaded = await (isWhole ? this.#put(first) : this.#upload(first));
      this.#report();
      return uploaded;
    } catch (error) {
      await this.#pieces.cancel().catch(() => {}); // The first failure is the one to report.
      // The parts belong to a file that no longer exists.
      if (hasCode(error, 'SourceChanged')) await this.remove().catch(() => {});
      throw error;
    }
  }

  /** Removes what has arrived. */
  async remove(): Promise<void> {
    const { uploadId } = this;
    if (uploadId === undefined || this.#control.state === 'done') return;
    await this.#client.abortMultipartUpload({ ...this.#name, uploadId }).catch((error) => {
      if (!hasCode(error, 'NoSuchUpload')) throw error;
    });
    this.#around.started.remove(uploadId);
  }

  #isLast({ bytes }: Piece): boolean {
    const { size } = this.#pieces;
    return size === undefined ? bytes.length < this.#given.partSize : bytes.length === size;
  }

  get #name() {
    return pick(this.#given, 'bucket', 'key');
  }

  get #stored() {
    const kept = pick(this.#given, ...KEPT);
    return { ...kept, contentType: kept.contentType ?? known(this.#given.body)?.type };
  }

  /** The same for uploads to the same place that store the same headers, metadata and access. */
  get #start(): string {
    const { metadata = {}, ...others } = this.#stored;
    const pairs = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify([this.#around.place, others, pairs]);
    return this.#around.checksums.md5(utf8(text));
  }

  get #conditions() {
    return pick(this.#given, 'ifMatch', 'ifNoneMatch', 'ifUnmodifiedSince');
  }

  async #put(piece: Piece): Promise<Uploaded> {
    const { bytes, body } = piece;
    const contentCrc32 = this.#around.checksums.crc32(bytes);
    const { etag } = await this.#control.run(async (signal) => {
      await this.#pieces.check(contentCrc32);
      const onProgress = this.#follow(piece);
      const put = { ...this.#name, ...this.#stored, ...this.#conditions, body, contentCrc32 };
      return this.#client.putObject({ ...put, signal, onProgress }).catch(this.#explain);
    });
    this.#arrived(piece);
    return { ...this.#name, size: bytes.length, etag, contentCrc32, resumed: 0 };
  }

  async #upload(first: Piece): Promise<Uploaded> {
    const unfinished = await this.#begin(first);
    this.uploadId = unfinished.uploadId;
    const waiting = [first];
    const work = async () => {
      for (;;) {
        const piece = waiting.pop() ?? (await this.#pieces.next());
        // A stream shows its end only with one more read, so its last piece may be empty. An upload
        // of its own id has at least one part.
        if (piece === undefined || (piece.bytes.length === 0 && piece.number > 1)) return;
        await this.#send(piece, unfinished);
      }
    };
    const workers = Array.from({ length: this.#given.concurrency ?? 4 }, work);
    // After one has failed, the others must not continue.
    await Promise.all(workers).catch((error) => {
      this.#control.end(error, 'failed');
      return Promise.allSettled(workers).then(() => {
        throw error;
      });
    });
    return this.#complete(unfinished.uploadId);
  }

  /** Continues an earlier upload of the same data with the same properties, or starts one. */
  #begin(first: Piece): Promise<Unfinished> {
    const { uploadId, resume } = this.#given;
    return this.#control.run(async (signal) => {
      const name = { ...this.#name, signal };
      if (uploadId !== undefined) return partsOf(this.#client, { ...name, uploadId });
      const { started, checksums } = this.#around;
      const ids = resume === false ? new Set<string>() : started.find(this.#start);
      const found = await findUnfinished(this.#client, name, ids, first, checksums);
      if (found !== undefined) return found;
      const begun = await this.#client.initiateMultipartUpload({ ...name, ...this.#stored });
      started.add(this.#start, begun.uploadId);
      return { uploadId: begun.uploadId, parts: new Map() };
    });
  }

  async #send(piece: Piece, { uploadId, parts }: Unfinished): Promise<void> {
    const { number: partNumber, bytes, body } = piece;
    const crc32 = this.#around.checksums.crc32(bytes);
    const arrived = parts.get(partNumber);
    const isThere = isPiece(arrived, piece, this.#around.checksums);
    if (isThere) this.#resumed += bytes.length;
    const { etag } = isThere
      ? arrived
      : await this.#control.run(async (signal) => {
          await this.#pieces.check();
          const part = { ...this.#name, uploadId, partNumber, body, contentCrc32: crc32 };
          return this.#client
            .uploadPart({ ...part, signal, onProgress: this.#follow(piece) })
            .catch(this.#explain);
        });
    this.#sent[partNumber - 1] = { etag, size: bytes.length, crc32 };
    this.#arrived(piece);
    this.#pieces.release(piece);
  }

  async #complete(uploadId: string): Promise<Uploaded> {
    const parts = this.#sent.map(({ etag }, at) => ({ partNumber: at + 1, etag }));
    const contentCrc32 = this.#sent.reduce((crc, part) => joinCrc32(crc, part.crc32, part.size), 0);
    await this.#pieces.check(contentCrc32);
    const list = { ...this.#name, ...this.#conditions, uploadId, parts, contentCrc32 };
    const { etag } = await this.#control.run((signal) =>
      this.#client.completeMultipartUpload({ ...list, signal }).catch(explainTouched),
    );
    this.#around.started.remove(uploadId);
    const counted = { size: this.#loaded, resumed: this.#resumed };
    return { ...this.#name, ...counted, etag, contentCrc32 };
  }

  /** To a browser, a request whose file changes is a failure of the network. */
  readonly #explain = async (error: unknown): Promise<never> => {
    await this.#pieces.check();
    explainTouched(error);
  };

  /** Counts the sent bytes of a piece. After a failure, they no longer count. */
  #follow({ number, bytes }: Piece): (loaded: number) => void {
    this.#leaving.delete(number);
    return (loaded) => {
      this.#leaving.set(number, Math.min(loaded, bytes.length));
      this.#report();
    };
  }

  #arrived({ number, bytes }: Piece): void {
    this.#leaving.delete(number);
    this.#loaded += bytes.length;
    this.#report();
  }

  #report(): void {
    let loaded = this.#loaded;
    for (const bytes of this.#leaving.values()) loaded += bytes;
    this.#given.onProgress?.({ loaded, total: this.#pieces.size });
  }
}

/** What happened to an upload that others have touched. */
const TOUCHED: Readonly<Record<string, string>> = {
  NoSuchUpload: 'The upload was ended elsewhere, or removed by a lifecycle rule. Start it again.',
  InvalidPart: 'Another upload has replaced parts of this one. Start it again.',
};

function explainTouched(error: unknown): never {
  if (!(error instanceof StorageError)) throw error;
  const more = TOUCHED[error.code];
  throw more === undefined ? error : explained(error, more);
}
