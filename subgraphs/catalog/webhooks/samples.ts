import { words } from '../../../schema/words.ts';
import type { Samples } from '../../common/webhooks/test-event.ts';

const id = '00000000-0000-4000-8000-000000000000';
const at = '2026-01-01T00:00:00.000Z';

const payloads: Readonly<Record<string, Record<string, unknown>>> = {
  start: { id },
  completed: { id, status: 'completed', completedAt: at },
  stopped: { id, status: 'stopped', stoppedAt: at },
  failed: { id, status: 'failed', completedAt: at },
};

/** Payloads of test deliveries. Their id belongs to no job. */
export const samples: Samples = {
  ...Object.fromEntries(words.WebhookEvent.values.map((event) => [event, payloads[event.slice(event.indexOf('.') + 1)]!])),
  'ai_import.start': { jobId: id },
};
