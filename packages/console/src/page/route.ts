import { useEffect, useState } from 'preact/hooks';

export const TABS = ['files', 'uploads', 'usage', 'access', 'cors', 'lifecycle'] as const;
export type Tab = (typeof TABS)[number];

/** The place that the URL names. Without a bucket: the overview. */
export interface Route {
  readonly bucket?: string | undefined;
  readonly tab: Tab;
  /** The folder, with a slash at the end, or the prefix of a search. */
  readonly prefix: string;
}

/** `#/<bucket>/<tab>/<prefix>`, each percent-encoded. */
function read(hash: string): Route {
  const [bucket, tab, prefix] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  const known = TABS.find((name) => name === tab) ?? 'files';
  // Browsers would request a parent folder: these are not bucket names.
  const isBucket = bucket !== undefined && !/^\.{0,2}$/.test(bucket);
  return { bucket: isBucket ? bucket : undefined, tab: known, prefix: prefix ?? '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The URL was typed by hand.
  }
}

export const hrefOf = (bucket?: string, tab: Tab = 'files', prefix = ''): string => {
  if (bucket === undefined) return '#/';
  const path = tab === 'files' && prefix === '' ? bucket : `${bucket}/${tab}`;
  return `#/${path}${prefix === '' ? '' : `/${encodeURIComponent(prefix)}`}`;
};

export const goTo = (...to: Parameters<typeof hrefOf>): void => {
  location.hash = hrefOf(...to);
};

export function useRoute(): Route {
  const [route, setRoute] = useState(() => read(location.hash));
  useEffect(() => {
    const follow = () => setRoute(read(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
