import type { Tables } from '../database/index.ts';
import { RowCount } from '../lists/index.ts';
import { ApiKey, AuditEntry, CreditEntry, CreditUsageDay, Invitation, Membership, Organization, User } from './entity.ts';
import { IdentityBaseline } from './migrations/0001-baseline.ts';

/** The tables of callers and credits, which every process uses. */
export const identityTables: Tables = {
  entities: [ApiKey, AuditEntry, CreditEntry, CreditUsageDay, Invitation, Membership, Organization, RowCount, User],
  migrations: [{ name: 'identity-0001', class: IdentityBaseline }],
};
