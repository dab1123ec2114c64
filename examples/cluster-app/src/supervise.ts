import cluster from 'node:cluster';

/** How long to wait before a process is started again, in milliseconds. */
const PAUSE = 1_000;

/** Keeps this many processes running, and ends them when this process is asked to end. */
export function supervise(workers: number): void {
  if (!Number.isInteger(workers) || workers < 1) {
    throw new Error('WORKERS is the number of processes: a whole number above 0.');
  }
  let ending = false;
  for (let count = 0; count < workers; count++) cluster.fork();

  cluster.once('listening', (_worker, { port }) => {
    console.log(`listening on http://127.0.0.1:${port}`);
  });
  // Whatever the reason, acknowledged data is on the disk, and the other processes continue.
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
