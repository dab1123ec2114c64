export { type OpenTelemetryMetricsOptions, openTelemetryMetrics } from './metrics.js';
export { type OpenTelemetryTracesOptions, openTelemetryTraces } from './traces.js';
