import type { ObjectItem } from '@bucketware/client';
import { useEffect, useState } from 'preact/hooks';
import { reportRefusal } from '../denied.js';
import { storage } from '../storage.js';

const PAGE = 200;

interface Listed {
  readonly folders: readonly string[];
  readonly objects: readonly ObjectItem[];
  readonly nextMarker?: string | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
}

export interface FileList extends Listed {
  readonly isEmpty: boolean;
  readonly hasMore: boolean;
  more(): void;
  reload(): void;
}

interface Request {
  readonly prefix: string;
  readonly marker?: string | undefined;
}

const NOTHING: Listed = { folders: [], objects: [], isLoading: true };

/** The entries below a prefix, page by page. */
export function useFiles(bucket: string, prefix: string): FileList {
  const [listed, setListed] = useState(NOTHING);
  const [request, setRequest] = useState<Request>({ prefix });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // A response for another folder does not apply to this one.
    const isSame = request.prefix === prefix;
    const marker = isSame ? request.marker : undefined;
    setListed((last) => (isSame ? { ...last, isLoading: true, error: undefined } : NOTHING));
    const options = { bucket, prefix, delimiter: '/', maxKeys: PAGE, marker, signal };
    storage.listObjects(options).then(
      ({ commonPrefixes = [], contents, nextMarker }) => {
        if (signal.aborted) return;
        const folders = commonPrefixes.map((one) => one.prefix);
        setListed((last) => ({
          folders: marker === undefined ? folders : [...last.folders, ...folders],
          objects: marker === undefined ? contents : [...last.objects, ...contents],
          ...{ nextMarker, isLoading: false },
        }));
      },
      (error) => {
        if (signal.aborted) return;
        reportRefusal(error);
        setListed((last) => ({ ...last, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [bucket, prefix, request]);
  const { folders, objects, nextMarker, isLoading, error } = listed;
  return {
    ...listed,
    isEmpty: !isLoading && error === undefined && folders.length + objects.length === 0,
    hasMore: nextMarker !== undefined,
    more: () => setRequest({ prefix, marker: nextMarker }),
    reload: () => setRequest({ prefix }),
  };
}
