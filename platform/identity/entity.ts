import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { defaultToolGroups, type EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { clock, FieldProperty, Owned, Tenant } from '../database/index.ts';

@ObjectType({ description: 'A tenant. All other data belongs to one organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'identity', tableName: 'organizations' })
export class Organization {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @FieldProperty({
    type: 'string',
    length: 64,
    description: 'Identifies the organization in REST paths. Unique across organizations.',
  })
  @Unique()
  slug!: string;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty(() => enumTypes.Plan, { type: 'string' })
  plan: Opt<EnumValue<'Plan'>> = 'free';

  @FieldProperty(() => [enumTypes.Module], { type: 'array' })
  modules: Opt<EnumValue<'Module'>[]> = [];

  /** The sum of the ledger, updated in the same transaction. */
  @Property({ type: 'decimal', precision: 16, scale: 4 })
  credits: Opt<string> = '0';

  /** Bytes; null for the quota of the plan. Only operators change it. */
  @Property({ type: 'bigint', runtimeType: 'number', nullable: true })
  storageQuota: number | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'A person who can hold API keys and be a member of organizations.' })
@Entity({ schema: 'identity', tableName: 'users' })
export class User {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @FieldProperty({ type: 'string', length: 320, description: 'In lowercase.' })
  @Unique()
  email!: string;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@Entity({ schema: 'identity', tableName: 'memberships' })
@Tenant()
export class Membership {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'string' })
  role!: EnumValue<'Role'>;

  @Property({ type: 'datetime' })
  joinedAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'An API key. The service stores only a hash of its value.' })
@Entity({ schema: 'identity', tableName: 'api_keys' })
@Tenant()
export class ApiKey {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  /** The organization that the key was created in, the default of the integration API. Null for keys created from the shell without one. */
  @Property({ type: 'uuid', nullable: true })
  organizationId: string | null = null;

  @FieldProperty({
    type: 'uuid',
    nullable: true,
    description: 'The only workspace that the key can reach; null if it is not bound to one.',
  })
  workspaceId: string | null = null;

  @Property({ type: 'uuid' })
  userId!: string;

  /** An operator key may change accounts of organizations and has no other access. */
  @Property({ type: 'boolean' })
  operator: Opt<boolean> = false;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 16, description: 'The first characters of the value, to distinguish keys.' })
  prefix!: string;

  @Unique()
  @Property({ type: 'blob' })
  hash!: Buffer;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the key expires; null if it never does.' })
  expiresAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the key was disabled; null while it is enabled.' })
  disabledAt: Date | null = null;

  @Property({ type: 'datetime', nullable: true })
  revokedAt: Date | null = null;

  @FieldProperty(() => [enumTypes.ToolGroup], {
    type: 'array',
    description: 'The MCP tools that the key may call. REST and GraphQL do not depend on it.',
  })
  toolGroups: Opt<EnumValue<'ToolGroup'>[]> = [...defaultToolGroups];

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'One change of the credit balance. The balance is the sum of all entries.' })
@Entity({ schema: 'identity', tableName: 'credit_entries' })
export class CreditEntry extends Owned {
  @FieldProperty({
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    description: 'Credits; negative if they were spent.',
  })
  amount!: number;

  @FieldProperty({ type: 'string', length: 255 })
  reason!: string;

  /** Idempotency key of the entry. A unique constraint prevents a second charge with the same reference. */
  @Property({ type: 'string', length: 128 })
  reference!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({
  description: 'An offer of membership. It is open until the user accepts it, an admin revokes it, or it expires.',
})
@Entity({ schema: 'identity', tableName: 'invitations' })
@Unique({ properties: ['organizationId', 'email'] })
export class Invitation extends Owned {
  @FieldProperty({ type: 'string', length: 320, description: 'In lowercase.' })
  email!: string;

  @FieldProperty(() => enumTypes.Role, { type: 'string', description: 'The role of the user after accepting.' })
  role!: EnumValue<'Role'>;

  @Unique()
  @Property({ type: 'blob' })
  tokenHash!: Buffer;

  @Property({ type: 'uuid' })
  inviterId!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', description: 'Seven days after the invitation.' })
  expiresAt!: Date;
}

/** The credits that an organization used on one UTC day for one kind of work. */
@Entity({ schema: 'identity', tableName: 'credit_usage' })
@Tenant()
export class CreditUsageDay {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'date' })
  day!: string;

  @PrimaryKey({ type: 'text' })
  kind!: string;

  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  credits!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  charges!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  refunds!: number;
}

/** Written by triggers of the recorded tables. */
@ObjectType({ description: 'A change of settings, and who made it. Entries are kept for 400 days.' })
@Entity({ schema: 'identity', tableName: 'audit_entries' })
export class AuditEntry extends Owned {
  @FieldProperty({ type: 'datetime' })
  createdAt!: Date;

  @FieldProperty(() => enumTypes.AuditSubject, { type: 'text' })
  subject!: EnumValue<'AuditSubject'>;

  @FieldProperty({ type: 'uuid', description: 'The changed record, which may be deleted. Of a member, the id of the user.' })
  subjectId!: string;

  @FieldProperty(() => enumTypes.AuditAction, { type: 'text' })
  action!: EnumValue<'AuditAction'>;

  @Property({ type: 'array' })
  fields!: string[];

  /** The old and the new value of each setting that is no secret, by column. */
  @Property({ type: 'json' })
  changes!: Record<string, [unknown, unknown]>;

  @FieldProperty(() => enumTypes.AuditActor, { type: 'text' })
  actor!: EnumValue<'AuditActor'>;

  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  @Property({ type: 'uuid', nullable: true })
  keyId!: string | null;

  @FieldProperty({
    type: 'uuid',
    nullable: true,
    description: 'The session of the dashboard that made the change; null for API keys.',
  })
  sessionId!: string | null;
}
