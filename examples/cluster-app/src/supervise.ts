import cluster from 'node:cluster';

/** A process that cannot start is not started again at once. */
const PAUSE = 1_000;

/** Keeps so many processes running, and ends them when this one is asked to end. */
export function supervise(workers: number): void {
  if (!Number.isInteger(workers) || workers < 1) {
    throw new Error('WORKERS is the number of processes: a whole number above 0.');
  }
  let ending = false;
  for (let count = 0; count < workers; count++) cluster.fork();

  cluster.once('listening', (_worker, { port }) => {
    console.log(`listening on http://127.0.0.1:${port}`);
  });
  // Whatever ended a process: what it had acknowledged is on the disk, and the others go on.
  cluster.on('exit', (worker, code, signal) => {
    if (ending) return;
    console.error(`process ${worker.process.pid} ended with ${signal ?? code}`);
    setTimeout(() => ending || cluster.fork(), PAUSE);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      ending = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    });
  }
}
