import { storage } from './storage.js';

export interface Usage {
  readonly name: string;
  /** `undefined` stands for the files directly in this folder. */
  readonly prefix?: string | undefined;
  objects: number;
  bytes: number;
}

export interface Counted {
  readonly rows: readonly Usage[];
  readonly objects: number;
  readonly bytes: number;
  readonly isComplete: boolean;
}

const HERE = 'Files in this folder';
/** A chart with more rows would not be readable. */
const MOST_ROWS = 200;

/** Counts the objects in each folder, reporting after each page. */
export async function countFolders(
  bucket: string,
  prefix: string,
  signal: AbortSignal,
  report: (counted: Counted) => void,
): Promise<void> {
  const rows = new Map<string, Usage>();
  let [objects, bytes] = [0, 0];
  let marker: string | undefined;
  for (;;) {
    const page = await storage.listObjects({ bucket, prefix, marker, signal });
    for (const { key, size } of page.contents) {
      const slash = key.indexOf('/', prefix.length);
      const name = slash < 0 ? HERE : key.slice(prefix.length, slash + 1);
      let row = rows.get(name);
      if (row === undefined) {
        row = { name, prefix: slash < 0 ? undefined : prefix + name, objects: 0, bytes: 0 };
        rows.set(name, row);
      }
      row.objects++;
      row.bytes += size;
      objects++;
      bytes += size;
    }
    const sorted = [...rows.values()].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_ROWS);
    report({ rows: sorted, objects, bytes, isComplete: !page.isTruncated });
    if (!page.isTruncated) return;
    marker = page.nextMarker;
  }
}

/** Counts whole buckets, one after another. */
export async function countBuckets(
  buckets: readonly string[],
  signal: AbortSignal,
  report: (counted: Counted) => void,
): Promise<void> {
  const rows: Usage[] = buckets.map((name) => ({ name, prefix: '', objects: 0, bytes: 0 }));
  const reportAll = (isComplete: boolean) => {
    const sum = (field: 'objects' | 'bytes') => rows.reduce((all, row) => all + row[field], 0);
    const sorted = [...rows].sort((a, b) => b.bytes - a.bytes);
    report({ rows: sorted, objects: sum('objects'), bytes: sum('bytes'), isComplete });
  };
  for (const row of rows) {
    await countFolders(row.name, '', signal, ({ objects, bytes }) => {
      Object.assign(row, { objects, bytes });
      reportAll(false);
    });
  }
  reportAll(true);
}
