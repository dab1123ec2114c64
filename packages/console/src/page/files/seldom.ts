/** Runs a function soon after each call, but once for all calls within `ms` milliseconds. */
export function seldom(ms: number, run: () => void): () => void {
  let isWaiting = false;
  let last = Number.NEGATIVE_INFINITY;
  const runNow = () => {
    isWaiting = false;
    last = performance.now();
    run();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(runNow, Math.max(0, last + ms - performance.now()));
  };
}
