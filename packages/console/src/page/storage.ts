import { createClient, StorageError } from '@bucketware/client';

/** The API next to the page, which uses the session of the app. */
export const storage = createClient({ endpoint: new URL('storage', document.baseURI) });

export interface Session {
  readonly title: string;
  readonly loginUrl?: string;
  readonly user?: { readonly userId: string; readonly userName: string };
  /** The features that the app has enabled. */
  readonly share: boolean;
  readonly health: boolean;
}

interface BackendHealth {
  readonly ok: boolean;
  readonly milliseconds: number;
}

export interface Health {
  readonly ok: boolean;
  readonly records: BackendHealth;
  readonly blobs: BackendHealth;
}

async function ask<Result>(path: string, init?: RequestInit): Promise<Result> {
  const response = await fetch(new URL(path, document.baseURI), init).catch((cause) => {
    throw new StorageError('NetworkError', 'The server cannot be reached.', { cause });
  });
  const value = await response.json().catch(() => ({})); // The status is enough.
  if (response.ok) return value as Result;
  const { code = 'UnexpectedResponse', message = `The server responded with ${response.status}.` } =
    value;
  throw new StorageError(code, message, { status: response.status });
}

export const getSession = () => ask<Session>('session');
export const getHealth = () => ask<Health>('health');

export const share = (link: { bucket: string; key: string; expiresIn: number }) =>
  ask<{ readonly url: string }>('links', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(link),
  });
