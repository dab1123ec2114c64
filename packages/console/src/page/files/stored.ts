import type { OfObject } from '@bucketware/client';
import { storage } from '../storage.js';

/**
 * Whether there is an object. If this cannot be found out, the condition of the upload decides, or
 * the upload fails for the same reason and reports it.
 */
export const isTaken = (object: OfObject): Promise<boolean> =>
  storage.getObjectMeta(object).then(
    () => true,
    () => false,
  );

/** Whether the object certainly has the data of this file. */
export async function isStored(object: OfObject, file: File): Promise<boolean> {
  try {
    const stored = await storage.getObject(object);
    if (stored.size !== file.size) {
      await stored.body.cancel();
      return false;
    }
    const bytes = await stored.bytes();
    return new Uint8Array(await file.arrayBuffer()).every((byte, at) => byte === bytes[at]);
  } catch {
    return false; // The user is asked.
  }
}
