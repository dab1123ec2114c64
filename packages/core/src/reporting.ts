/**
 * The host's own report, which harms nothing when it fails itself: it is called from timers, streams
 * and commits, where nobody could catch what it throws, or what its promise rejects with.
 */
export function guarded<Told extends readonly unknown[]>(
  report: (...told: Told) => unknown,
): (...told: Told) => void {
  return (...told) => {
    new Promise((resolve) => resolve(report(...told))).catch((failure: unknown) => {
      const why = failure instanceof Error ? failure.message : String(failure);
      process.emitWarning(`onError failed itself: ${why}`);
    });
  };
}
