import { readEnvironment } from '../schema/environment.ts';

/** The configuration of traces and metrics. */
export const readTelemetryConfig = () =>
  readEnvironment(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLE', 'METRICS_PORT', 'HOST']);
