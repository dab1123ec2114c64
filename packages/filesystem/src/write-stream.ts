import type { FileOperations } from './files.js';

/**
 * Writes a source from `position` on and returns where it ended. While one chunk is written the
 * next is fetched, so that at most two are in memory.
 */
export async function writeSource(
  files: FileOperations,
  file: number,
  position: number,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let end = position;
  let writing: Promise<void> = Promise.resolve();
  signal?.throwIfAborted();
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      await writing;
      writing = writeChunk(files, file, chunk, end);
      // Its failure is handled at the next await; until then it must not count as unhandled.
      writing.catch(() => {});
      end += chunk.byteLength;
    }
  } finally {
    // The file must not be closed during a write. After an error, that error is the one to report.
    await Promise.allSettled([writing]);
  }
  await writing;
  return end;
}

async function writeChunk(
  files: FileOperations,
  file: number,
  chunk: Uint8Array,
  start: number,
): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    const written = await files.write(file, chunk.subarray(done), start + done);
    if (written === 0) throw new Error('The disk took none of the bytes.');
    done += written;
  }
}
