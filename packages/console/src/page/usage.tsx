import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from './route.js';
import { Button } from './ui/button.js';
import { Failure } from './ui/notice.js';
import { type Counted, countBuckets, countFolders, type Usage } from './usage-count.js';
import { plural, sizeText } from './words.js';

type Count = (signal: AbortSignal, report: (counted: Counted) => void) => Promise<void>;

interface ChartProps {
  readonly title: string;
  readonly count: Count;
  hrefOfRow(row: Usage): string | undefined;
}

/** Counting reads the whole list, so it starts only on request. */
function UsageChart({ title, count, hrefOfRow }: ChartProps) {
  const [counted, setCounted] = useState<Counted>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    setError(undefined);
    try {
      await count(controller.signal, setCounted);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    setRunning(false);
  };
  const largest = Math.max(1, ...(counted?.rows.map(({ bytes }) => bytes) ?? []));
  return (
    <section class="card">
      <div class="heading">
        <h2>{title}</h2>
        {isRunning ? (
          <Button icon="close" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button onClick={start}>{counted === undefined ? 'Count' : 'Count again'}</Button>
        )}
      </div>
      {error !== undefined && <Failure error={error} retry={start} />}
      {counted === undefined ? (
        <p class="hint">
          Counting reads the list of all objects. In a large bucket this takes a while.
        </p>
      ) : (
        <>
          <p role="status">
            {plural(counted.objects, 'object')}, {sizeText(counted.bytes)}
            {counted.isComplete ? '' : isRunning ? ' so far…' : ' before it was stopped'}
          </p>
          <table class="chart">
            <caption class="hidden">{title}</caption>
            <thead class="hidden">
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Share</th>
                <th scope="col">Size</th>
                <th scope="col">Objects</th>
              </tr>
            </thead>
            <tbody>
              {counted.rows.map((row) => (
                <Bar key={row.name} {...{ row, largest }} href={hrefOfRow(row)} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

interface BarProps {
  readonly row: Usage;
  readonly largest: number;
  readonly href: string | undefined;
}

const Bar = ({ row: { name, bytes, objects }, largest, href }: BarProps) => (
  <tr>
    <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
    <td class="bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width={bytes === 0 ? 0 : Math.max(0.5, (100 * bytes) / largest)} height="10" />
      </svg>
    </td>
    <td class="number">{sizeText(bytes)}</td>
    <td class="number wide-only">{plural(objects, 'object')}</td>
  </tr>
);

export const BucketsUsage = ({ buckets }: { readonly buckets: readonly string[] }) => (
  <UsageChart
    title="Usage by bucket"
    count={(signal, report) => countBuckets(buckets, signal, report)}
    hrefOfRow={({ name }) => hrefOf(name, 'usage')}
  />
);

interface FoldersProps {
  readonly bucket: string;
  readonly prefix: string;
}

export const FoldersUsage = ({ bucket, prefix }: FoldersProps) => (
  <UsageChart
    key={prefix}
    title={prefix === '' ? 'Usage by folder' : `Usage of ${prefix}`}
    count={(signal, report) => countFolders(bucket, prefix, signal, report)}
    hrefOfRow={(row) =>
      row.prefix === undefined ? undefined : hrefOf(bucket, 'usage', row.prefix)
    }
  />
);
