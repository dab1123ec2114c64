/** The name of the instrumentation. */
export const NAME = '@bucketware/observability';
