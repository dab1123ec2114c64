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
    if ((client.getTransactionStatus?.() ?? 'I') === 'I') return client;
    client.release(true);
  }
}
