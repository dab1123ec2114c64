import type { ObjectStorage, ObservedRequest } from '@bucketware/core';
import { checkOptions, checkStorage, type KnownOptions, kinds } from '@bucketware/core/contracts';
import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { NAME } from './name.js';

export interface OpenTelemetryTracesOptions {
  /** The provider of the tracer. Default: the globally registered one. */
  readonly tracerProvider?: TracerProvider | undefined;
}

const OPTIONS: KnownOptions<OpenTelemetryTracesOptions> = {
  tracerProvider: kinds.having('a TracerProvider of OpenTelemetry', 'getTracer'),
};

/**
 * Creates an OpenTelemetry span for each request to a storage. Its parent is the span that is
 * active when the request arrives, such as one from an instrumentation for HTTP. If there is none,
 * the span continues the trace in the headers of the request. Returns a function that stops
 * tracing. Throws a `TypeError` for an invalid option.
 */
export function openTelemetryTraces(
  storage: Pick<ObjectStorage, 'observe'>,
  options: OpenTelemetryTracesOptions = {},
): () => void {
  checkStorage('openTelemetryTraces()', storage, 'observe');
  checkOptions('openTelemetryTraces()', options, OPTIONS);
  const { tracerProvider = trace.getTracerProvider() } = options;
  const tracer = tracerProvider.getTracer(NAME);
  const spans = new WeakMap<ObservedRequest, Span>();
  return storage.observe({
    begin(request) {
      const { kind, parent } = placeOf(request);
      const attributes = {
        'http.request.method': request.method,
        'url.path': request.url.split('?', 1)[0],
        'bucketware.dialect': request.dialect,
        'bucketware.request_id': request.requestId,
      };
      const name = request.operation ?? request.method;
      spans.set(request, tracer.startSpan(name, { kind, attributes }, parent));
    },
    end(request) {
      const span = spans.get(request);
      if (span === undefined) return;
      describe(span, request);
      span.end();
    },
  });
}

function placeOf(request: ObservedRequest): { kind: SpanKind; parent: Context } {
  const active = context.active();
  if (trace.getSpan(active) !== undefined) return { kind: SpanKind.INTERNAL, parent: active };
  return { kind: SpanKind.SERVER, parent: propagation.extract(active, request, HEADERS) };
}

const HEADERS: TextMapGetter<ObservedRequest> = {
  keys: () => [],
  get: (request, name) => request.header(name),
};

function describe(span: Span, request: ObservedRequest): void {
  const { operation, bucket, key, principal, status, error, complete } = request;
  if (operation !== undefined) span.setAttribute('bucketware.operation', operation);
  if (bucket !== '') span.setAttribute('bucketware.bucket', bucket);
  if (key !== '') span.setAttribute('bucketware.key', key);
  if (principal !== undefined) span.setAttribute('user.id', principal.userId);
  if (error !== undefined) span.setAttribute('error.type', error);
  span.setAttributes({
    'http.response.status_code': status,
    'http.request.body.size': request.bytesIn,
    'http.response.body.size': request.bytesOut,
    'bucketware.first_byte': request.firstByte / 1000,
    'bucketware.complete': complete,
  });
  // Client errors do not count as errors of a server span (semantic conventions of HTTP spans).
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
