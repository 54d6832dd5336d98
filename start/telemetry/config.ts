import { readEnvironment } from '../../schema/environment.ts';

export const readTelemetryConfig = () =>
  readEnvironment(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLE', 'METRICS_PORT', 'HOST']);
