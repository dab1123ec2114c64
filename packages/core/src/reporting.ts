/**
 * Wraps the app's `onError` so that its own failures do no harm: it is called from timers, streams
 * and commits, where nobody could catch an error or a rejection.
 */
export function guarded<Told extends readonly unknown[]>(
  report: (...told: Told) => unknown,
): (...told: Told) => void {
  return (...told) => {
    new Promise((resolve) => resolve(report(...told))).catch((failure: unknown) => {
      const why = failure instanceof Error ? failure.message : String(failure);
      process.emitWarning(`onError itself failed: ${why}`);
    });
  };
}
