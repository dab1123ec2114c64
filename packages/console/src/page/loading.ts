import { useCallback, useEffect, useState } from 'preact/hooks';
import { reportRefusal } from './denied.js';

export interface Loading<Value> {
  readonly value?: Value | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads again when `inputs` change. Results for earlier inputs are dropped. */
export function useLoading<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loading<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<Loading<Value>, 'reload'>>({ isLoading: true });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState(({ value }) => ({ value: round === 0 ? undefined : value, isLoading: true }));
    load(signal).then(
      (value) => signal.aborted || setState({ value, isLoading: false }),
      (error) => {
        if (signal.aborted) return;
        reportRefusal(error);
        setState({ error, isLoading: false });
      },
    );
    return () => controller.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  return { ...state, reload };
}
