import type { ObjectStorage, ObservedRequest } from '@bucketware/core';
import { checkOptions, checkStorage, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { type Attributes, type MeterProvider, metrics } from '@opentelemetry/api';
import { TIME_BOUNDS } from '../time-bounds.js';
import { NAME } from './name.js';

export interface OpenTelemetryMetricsOptions {
  /** The provider of the meter. Default: the globally registered one. */
  readonly meterProvider?: MeterProvider | undefined;
}

const OPTIONS: KnownOptions<OpenTelemetryMetricsOptions> = {
  meterProvider: kinds.having('a MeterProvider of OpenTelemetry', 'getMeter'),
};

/**
 * Records metrics of the requests to a storage with OpenTelemetry. Returns a function that stops
 * recording. Throws a `TypeError` for an invalid option.
 */
export function openTelemetryMetrics(
  storage: Pick<ObjectStorage, 'observe'>,
  options: OpenTelemetryMetricsOptions = {},
): () => void {
  checkStorage('openTelemetryMetrics()', storage, 'observe');
  checkOptions('openTelemetryMetrics()', options, OPTIONS);
  const { meterProvider = metrics.getMeterProvider() } = options;
  const meter = meterProvider.getMeter(NAME);
  const times = { unit: 's', advice: { explicitBucketBoundaries: TIME_BOUNDS } };
  const duration = meter.createHistogram('bucketware.request.duration', {
    description: 'Time from a request to the end of its response.',
    ...times,
  });
  const firstByte = meter.createHistogram('bucketware.request.first_byte', {
    description: 'Time from a request to the start of its response.',
    ...times,
  });
  const received = meter.createCounter('bucketware.request.received', {
    description: 'Bytes of request bodies.',
    unit: 'By',
  });
  const sent = meter.createCounter('bucketware.request.sent', {
    description: 'Bytes of response bodies.',
    unit: 'By',
  });
  const active = meter.createUpDownCounter('bucketware.active_requests', {
    description: 'Requests in progress.',
    unit: '{request}',
  });
  return storage.observe({
    begin: () => active.add(1),
    end(request) {
      const attributes = attributesOf(request);
      active.add(-1);
      duration.record(request.duration / 1000, attributes);
      firstByte.record(request.firstByte / 1000, attributes);
      if (request.bytesIn > 0) received.add(request.bytesIn, attributes);
      if (request.bytesOut > 0) sent.add(request.bytesOut, attributes);
    },
  });
}

/** Attributes with few different values. Buckets and users are left out: there may be many. */
const attributesOf = (request: ObservedRequest): Attributes => ({
  'bucketware.dialect': request.dialect,
  'bucketware.operation': request.operation ?? 'none',
  'bucketware.complete': request.complete,
  'http.response.status_code': request.status,
  'error.type': request.error,
});
