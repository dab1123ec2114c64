interface Client {
  release(error?: Error | boolean): void;
  /** `I`: in no transaction. Since pg 8.21. */
  getTransactionStatus?(): string | null;
}

/**
 * Takes a connection that is in no transaction. The app may have returned one to the pool without
 * ending its transaction: then commits would seem to succeed, and be rolled back with it. Such a
 * connection is closed.
 */
export async function takeIdle<C extends Client>(connect: () => Promise<C>): Promise<C> {
  for (;;) {
    const client = await connect();
    if (isIdle(client)) return client;
    client.release(true);
  }
}

/**
 * Throws if a statement has run in a transaction of the app: its BEGIN was still on its way when the
 * app returned the connection. Close it then, so that the statement has no effect.
 */
export function requireIdle(client: Client): void {
  if (isIdle(client)) return;
  throw new Error('The app has returned a connection to the pool within a transaction.');
}

const isIdle = (client: Client): boolean => (client.getTransactionStatus?.() ?? 'I') === 'I';
