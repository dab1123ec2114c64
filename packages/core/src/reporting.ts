/**
 * Wraps the app's `onError` so that its own failures do no harm: it is called from timers, streams
 * and commits, where no caller could catch an error or a rejection.
 */
export function guarded<Args extends readonly unknown[]>(
  report: (...args: Args) => unknown,
): (...args: Args) => void {
  return (...args) => {
    new Promise((resolve) => resolve(report(...args))).catch((failure: unknown) => {
      const why = failure instanceof Error ? failure.message : String(failure);
      process.emitWarning(`onError itself failed: ${why}`);
    });
  };
}
