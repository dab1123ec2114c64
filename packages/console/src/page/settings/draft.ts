import { StorageError } from '@bucketware/client';
import { useState } from 'preact/hooks';
import { type Loading, useLoading } from '../loading.js';

/** Rules that are edited and saved together. */
export interface Draft<Rule> {
  readonly saved: Loading<readonly Rule[]>;
  readonly rules: readonly Rule[];
  /** Changes when the rules are replaced by others than those typed. */
  readonly round: number;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly isSaved: boolean;
  add(rule: Rule): void;
  replace(at: number, change: Partial<Rule>): void;
  remove(at: number): void;
  save(): Promise<void>;
  discard(): void;
}

const MISSING = /^No(SuchCORSConfiguration|LifecycleConfiguration)$/;

export function useDraft<Rule extends object>(
  load: (signal?: AbortSignal) => Promise<readonly Rule[]>,
  store: (rules: readonly Rule[]) => Promise<void>,
  inputs: readonly unknown[],
): Draft<Rule> {
  const read = async (signal?: AbortSignal) => {
    try {
      return await load(signal);
    } catch (error) {
      if (error instanceof StorageError && MISSING.test(error.code)) return [];
      throw error;
    }
  };
  const loaded = useLoading(read, inputs);
  const [stored, setStored] = useState<readonly Rule[]>();
  const [draft, setDraft] = useState<readonly Rule[]>();
  const [round, setRound] = useState(0);
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const saved = { ...loaded, value: stored ?? loaded.value };
  const rules = draft ?? saved.value ?? [];
  const change = (next: readonly Rule[] | undefined) => {
    setDraft(next);
    setError(undefined);
    setSaved(false);
  };
  const changeAll = (next: readonly Rule[] | undefined) => {
    change(next);
    setRound((last) => last + 1);
  };
  return {
    ...{ saved, rules, round, isSaving, isSaved, error },
    isChanged: draft !== undefined && JSON.stringify(draft) !== JSON.stringify(saved.value),
    add: (rule) => change([...rules, rule]),
    replace: (at, changed) =>
      change(rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule))),
    remove: (at) => changeAll(rules.filter((_, index) => index !== at)),
    discard: () => changeAll(undefined),
    async save() {
      setSaving(true);
      setError(undefined);
      try {
        await store(rules);
        setStored(await read()); // The storage may have completed the rules.
        changeAll(undefined);
        setSaved(true);
      } catch (failure) {
        setError(failure);
      }
      setSaving(false);
    },
  };
}
