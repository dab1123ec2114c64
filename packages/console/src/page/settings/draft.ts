import { StorageError } from '@bucketware/client';
import { useEffect, useState } from 'preact/hooks';
import { type Loading, useLoading } from '../loading.js';
import { unsaved, useUnsaved } from './unsaved.js';

/** A list of rules. Null: there is none, which is not the same as an empty one. */
export type Rules<Rule> = readonly Rule[] | null;

/** Rules that are edited and saved together. */
export interface Draft<Rule> {
  readonly saved: Loading<Rules<Rule>>;
  readonly value: Rules<Rule>;
  /** None when there is no list. */
  readonly rules: readonly Rule[];
  /** Changes when the rules are replaced by others than those typed. */
  readonly round: number;
  readonly isChanged: boolean;
  /** Somebody else has saved other rules since. */
  readonly isOutdated: boolean;
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly isSaved: boolean;
  add(rule: Rule): void;
  replace(at: number, change: Partial<Rule>): void;
  remove(at: number): void;
  replaceAll(value: Rules<Rule>): void;
  save(): Promise<void>;
  discard(): void;
}

const MISSING = /^No(SuchCORSConfiguration|LifecycleConfiguration)$/;

/** A draft is kept under the name of its place until it is saved or discarded. */
export function useDraft<Rule extends object>(
  place: string,
  load: (signal?: AbortSignal) => Promise<Rules<Rule>>,
  store: (rules: Rules<Rule>) => Promise<void>,
): Draft<Rule> {
  const read = async (signal?: AbortSignal) => {
    try {
      return await load(signal);
    } catch (error) {
      if (error instanceof StorageError && MISSING.test(error.code)) return [];
      throw error;
    }
  };
  const loaded = useLoading(read, [place]);
  const [stored, setStored] = useState<Rules<Rule>>();
  const [round, setRound] = useState(0);
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const saved = { ...loaded, value: stored === undefined ? loaded.value : stored };
  const base = JSON.stringify(saved.value);
  const draft = useUnsaved().get(place);
  const value = (draft === undefined ? (saved.value ?? null) : draft.value) as Rules<Rule>;
  const rules = value ?? [];
  const isChanged = draft !== undefined && JSON.stringify(value) !== base;
  // It may have been saved elsewhere.
  const isDone = draft !== undefined && saved.value !== undefined && !isChanged;
  useEffect(() => {
    if (isDone) unsaved.set(place, undefined);
  }, [isDone, place]);
  const change = (next: Rules<Rule>) => {
    const isSame = JSON.stringify(next) === base;
    unsaved.set(place, isSame ? undefined : { value: next, base: draft?.base ?? base });
    setError(undefined);
    setSaved(false);
  };
  const replaceAll = (next: Rules<Rule>) => {
    change(next);
    setRound((last) => last + 1);
  };
  return {
    ...{ saved, value, rules, round, isChanged, isSaving, isSaved, error, replaceAll },
    isOutdated: isChanged && draft.base !== base,
    add: (rule) => change([...rules, rule]),
    replace: (at, changed) =>
      change(rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule))),
    remove: (at) => replaceAll(rules.filter((_, index) => index !== at)),
    discard: () => replaceAll(saved.value ?? null),
    async save() {
      setSaving(true);
      setError(undefined);
      try {
        const current = await read();
        if (JSON.stringify(current) !== base) {
          // Shows that the draft is outdated. Saving it once more replaces these rules.
          setStored(current);
          setSaving(false);
          return;
        }
        await store(value);
        const completed = await read(); // The storage may have completed the rules.
        setStored(completed);
        // Changes that were typed meanwhile are not saved yet.
        const newer = unsaved.all.get(place);
        const isNewer = newer !== undefined && newer.value !== value;
        unsaved.set(place, isNewer ? { ...newer, base: JSON.stringify(completed) } : undefined);
        if (!isNewer) setRound((last) => last + 1);
        setSaved(!isNewer);
      } catch (failure) {
        setError(failure);
      }
      setSaving(false);
    },
  };
}
