import type { ObjectStorage } from '@bucketware/core';
import { checkOptions, checkStorage, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { Counter, Gauge, type Registry, register } from 'prom-client';
import { TIME_BOUNDS } from '../time-bounds.js';
import { CountedHistogram } from './counted-histogram.js';
import { Tallies, type Tally } from './tallies.js';

export interface PrometheusOptions {
  /** The registry for the metrics. Default: the global registry of prom-client. */
  readonly registry?: Registry | undefined;
  /** The prefix of the metrics' names. Default `bucketware_`. */
  readonly prefix?: string | undefined;
  /** The upper bounds of the buckets for times, in seconds. Default: from 0.001 to 60. */
  readonly buckets?: readonly number[] | undefined;
}

const OPTIONS: KnownOptions<PrometheusOptions> = {
  registry: kinds.having('a registry of prom-client', 'registerMetric', 'removeSingleMetric'),
  prefix: kinds.string,
  buckets: {
    is: 'a list of numbers',
    fits: (value) => Array.isArray(value) && value.every(Number.isFinite),
  },
};

/** In milliseconds. A scrape must not time out because a backend does not respond. */
const HEALTH_TIMEOUT = 2000;

/**
 * Registers metrics of a storage's requests and health with prom-client. Returns a function that
 * removes them from the registry. Throws a `TypeError` for an invalid option.
 *
 * ```ts
 * prometheusMetrics(storage);
 * app.get('/metrics', async (_, res) => {
 *   res.type(register.contentType).send(await register.metrics());
 * });
 * ```
 */
export function prometheusMetrics(
  storage: Pick<ObjectStorage, 'observe' | 'health'>,
  options: PrometheusOptions = {},
): () => void {
  checkStorage('prometheusMetrics()', storage, 'observe', 'health');
  checkOptions('prometheusMetrics()', options, OPTIONS);
  const { registry = register, prefix = 'bucketware_', buckets = TIME_BOUNDS } = options;
  const bounds = [...buckets].sort((a, b) => a - b);
  const tallies = new Tallies(bounds);
  const registers = [registry];
  const names: string[] = [];
  const named = (name: string): string => {
    names.push(prefix + name);
    return prefix + name;
  };

  const counter = (name: string, help: string, amountOf: (tally: Tally) => number): void => {
    new Counter({
      name: named(name),
      help,
      labelNames: ['dialect', 'operation'] as const,
      registers,
      collect() {
        this.reset();
        for (const tally of tallies.all()) this.inc(labelsOf(tally), amountOf(tally));
      },
    });
  };
  const histogram = (name: string, help: string, of: 'duration' | 'firstByte'): void => {
    const labelNames = ['dialect', 'operation'] as const;
    const configuration = { name: named(name), help, labelNames, buckets: bounds, registers };
    new CountedHistogram(configuration, () =>
      tallies.all().map((tally) => ({ labels: labelsOf(tally), buckets: tally[of] })),
    );
  };

  new Counter({
    name: named('requests_total'),
    help: 'Completed requests. `error` is empty if the request succeeded.',
    labelNames: ['dialect', 'operation', 'status', 'error'] as const,
    registers,
    collect() {
      this.reset();
      for (const tally of tallies.all()) {
        for (const { status, error, count } of tally.outcomes()) {
          this.inc({ ...labelsOf(tally), status, error }, count);
        }
      }
    },
  });
  counter(
    'incomplete_requests_total',
    'Requests whose response was not sent completely, mostly because the client disconnected.',
    ({ incomplete }) => incomplete,
  );
  counter('received_bytes_total', 'Bytes of request bodies.', ({ received }) => received);
  counter('sent_bytes_total', 'Bytes of response bodies.', ({ sent }) => sent);
  histogram(
    'request_duration_seconds',
    'Time from a request to the end of its response.',
    'duration',
  );
  histogram(
    'request_first_byte_seconds',
    'Time from a request to the start of its response.',
    'firstByte',
  );
  new Gauge({
    name: named('requests_in_progress'),
    help: 'Requests in progress.',
    registers,
    collect() {
      this.set(tallies.inProgress);
    },
  });
  new Gauge({
    name: named('backend_up'),
    help: 'Whether the metadata store and the blob store respond: 1 or 0.',
    labelNames: ['backend'] as const,
    registers,
    async collect() {
      const { records, blobs } = await storage.health({ timeout: HEALTH_TIMEOUT });
      this.set({ backend: 'records' }, records.ok ? 1 : 0);
      this.set({ backend: 'blobs' }, blobs.ok ? 1 : 0);
    },
  });

  const stop = storage.observe(tallies);
  return () => {
    stop();
    for (const name of names) registry.removeSingleMetric(name);
  };
}

const labelsOf = ({ dialect, operation }: Tally) => ({ dialect, operation });
