/**
 * Calls a function of `node:fs` that reads or writes, and resolves to the number of bytes. Monitoring
 * agents replace these functions, and promisify then resolves to something else.
 */
export const bytesDone = (
  call: (done: (error: Error | null, bytes: number) => void) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    call((error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
