import type { FileOperations } from './files.js';

/** How many bytes of a source are combined into one write. */
const BATCH_BYTES = 512 * 1024;

/**
 * How many chunks are combined at most: each takes about a hundred bytes of memory in addition to
 * its content.
 */
const BATCH_CHUNKS = 256;

/** How many sources may hold an incomplete batch. */
const MAX_GATHERING = 32;

/**
 * Limits how many sources collect chunks into batches. Batches save a seventh of the processor time
 * of an upload, because the network delivers 64 KiB at a time. The limit keeps slow clients from
 * taking half a megabyte of memory each: beyond it, chunks are written one by one.
 */
export class Gathering {
  #count = 0;

  start(): boolean {
    if (this.#count >= MAX_GATHERING) return false;
    this.#count++;
    return true;
  }

  end(): void {
    this.#count--;
  }
}

/** Where {@link writeSource} writes, and how. */
export interface Target {
  readonly files: FileOperations;
  readonly file: number;
  readonly position: number;
  readonly gathering: Gathering;
}

/**
 * Writes a source and returns where it ended. While one batch is written, the next is collected, so
 * at most two are in memory.
 */
export async function writeSource(
  target: Target,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted();
  const batches = new Batches(target);
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      await batches.add(chunk);
    }
    return await batches.end();
  } finally {
    await batches.settle();
  }
}

class Batches {
  readonly #target: Target;
  #end: number;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #isGathering = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(target: Target) {
    this.#target = target;
    this.#end = target.position;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    const isFull = this.#size >= BATCH_BYTES || this.#chunks.length >= BATCH_CHUNKS;
    if (!isFull && this.#gather()) return;
    await this.#flush();
  }

  async end(): Promise<number> {
    await this.#flush();
    await this.#writing;
    return this.#end;
  }

  /** The file must not be closed during a write. After an error, that error is the one to report. */
  async settle(): Promise<void> {
    this.#release();
    await Promise.allSettled([this.#writing]);
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const [chunks, size] = [this.#chunks, this.#size];
    this.#chunks = [];
    this.#size = 0;
    this.#release();
    if (size === 0) return;
    this.#writing = writeAll(this.#target, chunks, this.#end);
    // A failure of the write is handled at the next await, and must not count as unhandled until
    // then.
    this.#writing.catch(() => {});
    this.#end += size;
  }

  #gather(): boolean {
    this.#isGathering ||= this.#target.gathering.start();
    return this.#isGathering;
  }

  #release(): void {
    if (this.#isGathering) this.#target.gathering.end();
    this.#isGathering = false;
  }
}

async function writeAll(
  { files, file }: Target,
  chunks: readonly Uint8Array[],
  start: number,
): Promise<void> {
  let left = chunks;
  for (let position = start; left.length > 0; ) {
    const [first] = left as [Uint8Array];
    const written =
      left.length === 1
        ? await files.write(file, first, position)
        : await files.writeMany(file, left, position);
    if (written === 0) throw new Error('The disk accepted none of the bytes.');
    position += written;
    left = after(left, written);
  }
}

/** The rest of the chunks after a number of bytes. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes;
  let at = 0;
  for (; at < chunks.length; at++) {
    const { byteLength } = chunks[at] as Uint8Array;
    if (skipped < byteLength) break;
    skipped -= byteLength;
  }
  const left = chunks.slice(at);
  if (skipped > 0) left[0] = (left[0] as Uint8Array).subarray(skipped);
  return left;
}
