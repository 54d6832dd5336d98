import { createHmac, randomBytes } from 'node:crypto';
import { clock } from '../database/index.ts';

const PREFIX = 'whsec_';

/** Create a signing secret for a subscription. */
export const newSigningSecret = () => PREFIX + randomBytes(32).toString('base64');

/**
 * Signature headers of one attempt, with one signature for each secret. `x-svc-signature` uses the full text of the secret as key, and the
 * headers of Standard Webhooks use its decoded bytes.
 */
export function signatureHeaders(id: string, body: string, secrets: readonly string[], at = clock.now()): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const own = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`);
  const standard = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'x-svc-signature': [`t=${timestamp}`, ...own].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}
