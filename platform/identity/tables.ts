import type { Tables } from '../database/index.ts';
import { RowCount } from '../lists/index.ts';
import { Identity } from '../migrations/0001-identity.ts';
import { Idempotency } from '../migrations/0007-idempotency.ts';
import { IdempotencyLeases } from '../migrations/0012-idempotency-leases.ts';
import { Queues } from '../migrations/0013-queues.ts';
import { AccountsAndInvitations } from '../migrations/0014-accounts-and-invitations.ts';
import { SecretsCanary } from '../migrations/0017-secrets-canary.ts';
import { ToolGroups } from '../migrations/0075-tool-groups.ts';
import { CreditUsage } from '../migrations/0102-credit-usage.ts';
import { Sessions } from '../migrations/0118-sessions.ts';
import { Audit } from '../migrations/0119-audit.ts';
import { WorkspaceKeys } from '../migrations/0126-workspace-keys.ts';
import { OutboxTrace } from '../migrations/0137-outbox-trace.ts';
import { RowCounts } from '../migrations/0145-row-counts.ts';
import { Partitions } from '../migrations/0167-partitions.ts';
import { ChargedEmbeddings } from '../migrations/0201-charged-embeddings.ts';
import { StoredBytes } from '../migrations/0203-stored-bytes.ts';
import { BytesOfAnswers } from '../migrations/0204-bytes-of-answers.ts';
import { AuditEntry } from './audit-entity.ts';
import { ApiKey, CreditEntry, Membership, Organization, User } from './entity.ts';
import { Invitation } from './invitation-entity.ts';
import { CreditUsageDay } from './usage-entity.ts';

/** The tables of callers and credits, which every process uses. */
export const identityTables: Tables = {
  entities: [ApiKey, AuditEntry, CreditEntry, CreditUsageDay, Invitation, Membership, Organization, RowCount, User],
  migrations: [
    { name: 'identity-0001', class: Identity },
    { name: 'identity-0007', class: Idempotency },
    { name: 'identity-0012', class: IdempotencyLeases },
    { name: 'identity-0013', class: Queues },
    { name: 'identity-0014', class: AccountsAndInvitations },
    { name: 'identity-0017', class: SecretsCanary },
    { name: 'identity-0075', class: ToolGroups },
    { name: 'identity-0102', class: CreditUsage },
    { name: 'identity-0118', class: Sessions },
    { name: 'identity-0119', class: Audit },
    { name: 'identity-0126', class: WorkspaceKeys },
    { name: 'identity-0137', class: OutboxTrace },
    { name: 'identity-0145', class: RowCounts },
    { name: 'identity-0167', class: Partitions },
    { name: 'identity-0201', class: ChargedEmbeddings },
    { name: 'identity-0203', class: StoredBytes },
    { name: 'identity-0204', class: BytesOfAnswers },
  ],
};
