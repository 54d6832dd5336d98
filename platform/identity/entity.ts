import { Unique } from '@mikro-orm/decorators/legacy';
import { Directive, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { defaultToolGroups, type EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { clock, column, columns, hidden, Owned, Table, Tenant } from '../database/index.ts';

@ObjectType({ description: 'A tenant. All other data belongs to one organization.' })
@Directive('@key(fields: "id")')
@Table('identity.organizations')
export class Organization extends columns({
  id: column('uuid', { primary: true, initial: () => uuid() }),
  slug: column('string', {
    length: 64,
    unique: true,
    description: 'Identifies the organization in REST paths. Unique across organizations.',
  }),
  name: column('string', { length: 255 }),
  plan: column(enumTypes.Plan, { initial: 'free' }),
  modules: column([enumTypes.Module], { type: 'array', initial: [] }),
  /** The sum of the ledger, updated in the same transaction. */
  credits: hidden('numeric', { initial: '0', precision: 16, scale: 4 }),
  /** Bytes; null for the quota of the plan. Only operators change it. */
  storageQuota: hidden('count', { nullable: true }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'A person who can hold API keys and be a member of organizations.' })
@Table('identity.users')
export class User extends columns({
  id: column('uuid', { primary: true, initial: () => uuid() }),
  email: column('string', { length: 320, unique: true, description: 'In lowercase.' }),
  name: column('string', { length: 255 }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@Table('identity.memberships')
@Tenant()
export class Membership extends columns({
  organizationId: hidden('uuid', { primary: true }),
  userId: hidden('uuid', { primary: true }),
  role: hidden('string').as<EnumValue<'Role'>>(),
  joinedAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'An API key. The service stores only a hash of its value.' })
@Table('identity.api_keys')
@Tenant()
export class ApiKey extends columns({
  id: column('uuid', { primary: true, initial: () => uuid() }),
  /** The organization that the key was created in, the default of the integration API. Null for keys created from the shell without one. */
  organizationId: hidden('uuid', { nullable: true }),
  workspaceId: column('uuid', {
    nullable: true,
    description: 'The only workspace that the key can reach; null if it is not bound to one.',
  }),
  userId: hidden('uuid'),
  /** An operator key may change accounts of organizations and has no other access. */
  operator: hidden('boolean', { initial: false }),
  name: column('string', { length: 255 }),
  prefix: column('string', { length: 16, description: 'The first characters of the value, to distinguish keys.' }),
  hash: hidden('blob', { unique: true }),
  expiresAt: column('datetime', { nullable: true, description: 'When the key expires; null if it never does.' }),
  disabledAt: column('datetime', { nullable: true, description: 'When the key was disabled; null while it is enabled.' }),
  revokedAt: hidden('datetime', { nullable: true }),
  toolGroups: column([enumTypes.ToolGroup], {
    type: 'array',
    initial: [...defaultToolGroups],
    description: 'The MCP tools that the key may call. REST and GraphQL do not depend on it.',
  }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'One change of the credit balance. The balance is the sum of all entries.' })
@Table('identity.credit_entries')
export class CreditEntry extends columns(Owned, {
  amount: column('credits', 'Credits; negative if they were spent.'),
  reason: column('string', { length: 255 }),
  /** Idempotency key of the entry. A unique constraint prevents a second charge with the same reference. */
  reference: hidden('string', { length: 128 }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

@ObjectType({
  description: 'An offer of membership. It is open until the user accepts it, an admin revokes it, or it expires.',
})
@Table('identity.invitations')
@Unique({ properties: ['organizationId', 'email'] })
export class Invitation extends columns(Owned, {
  email: column('string', { length: 320, description: 'In lowercase.' }),
  role: column(enumTypes.Role, 'The role of the user after accepting.'),
  tokenHash: hidden('blob', { unique: true }),
  inviterId: hidden('uuid'),
  createdAt: column('datetime', { initial: clock.now }),
  expiresAt: column('datetime', 'Seven days after the invitation.'),
}) {}

/** The credits that an organization used on one UTC day for one kind of work. */
@Table('identity.credit_usage')
@Tenant()
export class CreditUsageDay extends columns({
  organizationId: hidden('uuid', { primary: true }),
  day: hidden('date', { primary: true }),
  kind: hidden('text', { primary: true }),
  credits: hidden('credits'),
  charges: hidden('count'),
  refunds: hidden('count'),
}) {}

/** Written by triggers of the recorded tables. */
@ObjectType({ description: 'A change of settings, and who made it. Entries are kept for 400 days.' })
@Table('identity.audit_entries')
export class AuditEntry extends columns(Owned, {
  createdAt: column('datetime'),
  subject: column(enumTypes.AuditSubject, { type: 'text' }),
  subjectId: column('uuid', 'The changed record, which may be deleted. Of a member, the id of the user.'),
  action: column(enumTypes.AuditAction, { type: 'text' }),
  fields: hidden('array'),
  /** The old and the new value of each setting that is no secret, by column. */
  changes: hidden('json').as<Record<string, [unknown, unknown]>>(),
  actor: column(enumTypes.AuditActor, { type: 'text' }),
  userId: hidden('uuid', { nullable: true }),
  keyId: hidden('uuid', { nullable: true }),
  sessionId: column('uuid', {
    nullable: true,
    description: 'The session of the dashboard that made the change; null for API keys.',
  }),
}) {}

/**
 * The access level that a field requires. `public` fields need no key; `operator` fields accept only operator keys. `agent` fields
 * accept members and agents; agents reach no others.
 */
export type Level = 'public' | 'user' | 'operator' | 'agent' | EnumValue<'Role'>;
/** Roles with more permissions have a higher rank. */
export const rank: Record<EnumValue<'Role'>, number> = { member: 0, admin: 1, owner: 2 };
