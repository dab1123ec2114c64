import { useEffect, useState } from 'preact/hooks';

/** Rules that were edited and not saved. Null: there shall be no list. */
export interface Unsaved {
  readonly value: readonly object[] | null;
  /** The saved rules that were edited, as JSON. */
  readonly base: string;
}

type Changes = ReadonlyMap<string, Unsaved>;

/** What is edited, as `<bucket>/<tab>`, or `<bucket>/files/<key>` for the list of an object. */
export const placeOf = (bucket: string, tab: string, key?: string): string =>
  key === undefined ? `${bucket}/${tab}` : `${bucket}/${tab}/${key}`;

/** All changes of this page that are not saved. They outlive the view in which they were made. */
class UnsavedChanges {
  all: Changes = new Map();
  #user: string | undefined;
  readonly #listeners = new Set<() => void>();

  set(place: string, change: Unsaved | undefined): void {
    const next = new Map(this.all);
    if (change === undefined) next.delete(place);
    else next.set(place, change);
    this.#replace(next);
  }

  /** The object has another key. */
  move(from: string, to: string): void {
    const change = this.all.get(from);
    this.set(from, undefined);
    this.set(to, change);
  }

  /** The bucket is gone. */
  drop(bucket: string): void {
    this.#replace(new Map([...this.all].filter(([place]) => !place.startsWith(`${bucket}/`))));
  }

  /** The same user finds them again after a login, another one does not. */
  belongTo(user: string): void {
    if (this.#user !== undefined && this.#user !== user) this.#replace(new Map());
    this.#user = user;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #replace(next: Changes): void {
    this.all = next;
    for (const listener of this.#listeners) listener();
  }
}

export const unsaved = new UnsavedChanges();

/** Browsers ask the user before they leave a page with unsaved changes. */
addEventListener('beforeunload', (event) => {
  if (unsaved.all.size > 0) event.preventDefault();
});

export function useUnsaved(): Changes {
  const [changes, setChanges] = useState(unsaved.all);
  useEffect(() => {
    const follow = () => setChanges(unsaved.all);
    follow(); // It may have changed since the first look.
    return unsaved.subscribe(follow);
  }, []);
  return changes;
}
