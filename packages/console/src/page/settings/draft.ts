import { StorageError } from '@bucketware/client';
import { useState } from 'preact/hooks';
import { type Loading, useLoading } from '../loading.js';

/** Rules that are edited, and saved together. */
export interface Draft<Rule> {
  readonly saved: Loading<readonly Rule[]>;
  readonly rules: readonly Rule[];
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly isSaved: boolean;
  change(rules: readonly Rule[]): void;
  replace(at: number, change: Partial<Rule>): void;
  remove(at: number): void;
  save(): Promise<void>;
  discard(): void;
}

const MISSING = /^No(SuchCORSConfiguration|LifecycleConfiguration)$/;

export function useDraft<Rule extends object>(
  load: (signal: AbortSignal) => Promise<readonly Rule[]>,
  store: (rules: readonly Rule[]) => Promise<void>,
  inputs: readonly unknown[],
): Draft<Rule> {
  const saved = useLoading(async (signal) => {
    try {
      return await load(signal);
    } catch (error) {
      if (error instanceof StorageError && MISSING.test(error.code)) return [];
      throw error;
    }
  }, inputs);
  const [draft, setDraft] = useState<readonly Rule[]>();
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const rules = draft ?? saved.value ?? [];
  const change = (next: readonly Rule[] | undefined) => {
    setDraft(next);
    setError(undefined);
    setSaved(false);
  };
  return {
    ...{ saved, rules, isSaving, isSaved, error },
    isChanged: draft !== undefined && JSON.stringify(draft) !== JSON.stringify(saved.value),
    change,
    replace: (at, changed) =>
      change(rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule))),
    remove: (at) => change(rules.filter((_, index) => index !== at)),
    discard: () => change(undefined),
    async save() {
      setSaving(true);
      setError(undefined);
      try {
        await store(rules);
        setDraft(undefined);
        setSaved(true);
        saved.reload();
      } catch (failure) {
        setError(failure);
      }
      setSaving(false);
    },
  };
}
