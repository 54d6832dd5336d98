import { createHmac } from 'node:crypto';
import { clock, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { openSigningSecrets } from '../visitors/signing-secrets.ts';
import type { SendHeaders } from './entity.ts';

interface CallOrigin {
  agentId: string;
  /** The verified visitor. */
  subject: string | null;
  conversationId: string;
  approvalId: string | null;
}

/** The headers that tell a receiver for whom a request is, so that it can decide, too. */
export async function receiverHeaders(
  scope: Scope,
  { agentId, subject, conversationId, approvalId }: CallOrigin,
): Promise<SendHeaders> {
  const secrets = await openSigningSecrets(scope, agentId, 'requests');
  const [visitor, approval] = [subject ?? 'none', approvalId ?? 'none'];
  return ({ method, url, body }) => {
    const timestamp = Math.floor(clock.ms() / 1_000);
    const text = [timestamp, method, url, visitor, conversationId, approval, body].join('\n');
    const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`);
    return {
      'x-svc-visitor': visitor,
      'x-svc-conversation': conversationId,
      'x-svc-approval': approval,
      ...(signatures.length > 0 && { 'x-svc-signature': [`t=${timestamp}`, ...signatures].join(',') }),
      ...(approvalId && { 'idempotency-key': approvalId }),
    };
  };
}

/** The hosts whose personal data is in a conversation. */
export async function personalHostsOf({ em, organizationId }: Scope, conversationId: string): Promise<string[]> {
  const [found] = await query(
    em,
    sql<{ hosts: string[] }>`select personal_hosts as hosts from agent.conversations
                              where id = ${conversationId} and organization_id = ${organizationId}`,
  );
  return found?.hosts ?? [];
}

/** Remember that personal data of a host is in a conversation. */
export async function markPersonal({ em, organizationId }: Scope, conversationId: string, host: string): Promise<void> {
  await query(
    em,
    sql`update agent.conversations set personal_hosts = array_append(personal_hosts, ${host})
         where id = ${conversationId} and organization_id = ${organizationId} and not (${host} = any(personal_hosts))`,
  );
}
