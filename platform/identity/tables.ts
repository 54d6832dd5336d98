import type { Tables } from '../database/index.ts';
import { RowCount } from '../lists/index.ts';
import { AuditEntry } from './audit-entity.ts';
import { ApiKey, CreditEntry, Membership, Organization, User } from './entity.ts';
import { Invitation } from './invitation-entity.ts';
import { IdentityBaseline } from './migrations/0001-baseline.ts';
import { CreditUsageDay } from './usage-entity.ts';

/** The tables of callers and credits, which every process uses. */
export const identityTables: Tables = {
  entities: [ApiKey, AuditEntry, CreditEntry, CreditUsageDay, Invitation, Membership, Organization, RowCount, User],
  migrations: [{ name: 'identity-0001', class: IdentityBaseline }],
};
