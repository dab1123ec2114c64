import type { OfUpload } from '@bucketware/client';
import { storage } from '../storage.js';
import { nameOf, sizeText, visible } from '../words.js';

/** The smallest size of a part that is not the last one. */
const LEAST = 100 * 1024;

interface Arrived {
  /** The size of all parts together. */
  readonly size: number;
  /** The size of all parts but the last, which may be smaller; `undefined` if unknown. */
  readonly partSize: number | undefined;
}

/** What has arrived of an unfinished upload. */
export async function arrivedOf(upload: OfUpload): Promise<Arrived> {
  let size = 0;
  let partSize: number | undefined;
  try {
    for await (const part of storage.parts(upload)) {
      if (part.partNumber === 1 && part.size >= LEAST) partSize = part.size;
      size += part.size;
    }
  } catch {
    // Continuing the upload fails for the same reason, and reports it.
  }
  return { size, partSize };
}

/** Why a file may not be the one whose upload was interrupted. Empty if there is no doubt. */
export function resumeWarnings(file: File, key: string, arrived: number): readonly string[] {
  const name = nameOf(key);
  return [
    ...(visible(file.name) === name
      ? []
      : [`The upload is called ${name}, and the file ${visible(file.name)}.`]),
    ...(file.size >= arrived
      ? []
      : [`${sizeText(arrived)} have arrived, but the file has only ${sizeText(file.size)}.`]),
  ];
}
