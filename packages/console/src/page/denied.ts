import { StorageError } from '@bucketware/client';

const DENIED = 'storage-denied';

/** A refusal may mean that the session has ended, so the session is checked. */
export function reportRefusal(error: unknown): void {
  if (!(error instanceof StorageError)) return;
  if (error.status === 401 || error.status === 403) dispatchEvent(new Event(DENIED));
}

/** Returns a function that removes the listener. */
export function onRefusal(listener: () => void): () => void {
  addEventListener(DENIED, listener);
  return () => removeEventListener(DENIED, listener);
}
