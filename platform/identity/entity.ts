import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, Float, ID, ObjectType } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { defaultToolGroups, type EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { clock, Owned, Tenant } from '../database/index.ts';

@ObjectType({ description: 'A tenant. All other data belongs to one organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'identity', tableName: 'organizations' })
export class Organization {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Field(() => String, { description: 'Identifies the organization in REST paths. Unique across organizations.' })
  @Unique()
  @Property({ type: 'string', length: 64 })
  slug!: string;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => enumTypes.Plan)
  @Property({ type: 'string' })
  plan: Opt<EnumValue<'Plan'>> = 'free';

  @Field(() => [enumTypes.Module])
  @Property({ type: 'array' })
  modules: Opt<EnumValue<'Module'>[]> = [];

  /** The sum of the ledger, updated in the same transaction. */
  @Property({ type: 'decimal', precision: 16, scale: 4 })
  credits: Opt<string> = '0';

  /** Bytes; null for the quota of the plan. Only operators change it. */
  @Property({ type: 'bigint', runtimeType: 'number', nullable: true })
  storageQuota: number | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'A person who can hold API keys and be a member of organizations.' })
@Entity({ schema: 'identity', tableName: 'users' })
export class User {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Field(() => String, { description: 'In lowercase.' })
  @Unique()
  @Property({ type: 'string', length: 320 })
  email!: string;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
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

  @Field(() => ID, { nullable: true, description: 'The only workspace that the key can reach; null if it is not bound to one.' })
  @Property({ type: 'uuid', nullable: true })
  workspaceId: string | null = null;

  @Property({ type: 'uuid' })
  userId!: string;

  /** An operator key may change accounts of organizations and has no other access. */
  @Property({ type: 'boolean' })
  operator: Opt<boolean> = false;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'The first characters of the value, to distinguish keys.' })
  @Property({ type: 'string', length: 16 })
  prefix!: string;

  @Unique()
  @Property({ type: 'blob' })
  hash!: Buffer;

  @Field(() => Date, { nullable: true, description: 'When the key expires; null if it never does.' })
  @Property({ type: 'datetime', nullable: true })
  expiresAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the key was disabled; null while it is enabled.' })
  @Property({ type: 'datetime', nullable: true })
  disabledAt: Date | null = null;

  @Property({ type: 'datetime', nullable: true })
  revokedAt: Date | null = null;

  @Field(() => [enumTypes.ToolGroup], { description: 'The MCP tools that the key may call. REST and GraphQL do not depend on it.' })
  @Property({ type: 'array' })
  toolGroups: Opt<EnumValue<'ToolGroup'>[]> = [...defaultToolGroups];

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'One change of the credit balance. The balance is the sum of all entries.' })
@Entity({ schema: 'identity', tableName: 'credit_entries' })
export class CreditEntry extends Owned {
  @Field(() => Float, { description: 'Credits; negative if they were spent.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  amount!: number;

  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  reason!: string;

  /** Idempotency key of the entry. A unique constraint prevents a second charge with the same reference. */
  @Property({ type: 'string', length: 128 })
  reference!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({
  description: 'An offer of membership. It is open until the user accepts it, an admin revokes it, or it expires.',
})
@Entity({ schema: 'identity', tableName: 'invitations' })
@Unique({ properties: ['organizationId', 'email'] })
export class Invitation extends Owned {
  @Field(() => String, { description: 'In lowercase.' })
  @Property({ type: 'string', length: 320 })
  email!: string;

  @Field(() => enumTypes.Role, { description: 'The role of the user after accepting.' })
  @Property({ type: 'string' })
  role!: EnumValue<'Role'>;

  @Unique()
  @Property({ type: 'blob' })
  tokenHash!: Buffer;

  @Property({ type: 'uuid' })
  inviterId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { description: 'Seven days after the invitation.' })
  @Property({ type: 'datetime' })
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
  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt!: Date;

  @Field(() => enumTypes.AuditSubject)
  @Property({ type: 'text' })
  subject!: EnumValue<'AuditSubject'>;

  @Field(() => ID, { description: 'The changed record, which may be deleted. Of a member, the id of the user.' })
  @Property({ type: 'uuid' })
  subjectId!: string;

  @Field(() => enumTypes.AuditAction)
  @Property({ type: 'text' })
  action!: EnumValue<'AuditAction'>;

  @Property({ type: 'array' })
  fields!: string[];

  @Field(() => enumTypes.AuditActor)
  @Property({ type: 'text' })
  actor!: EnumValue<'AuditActor'>;

  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  @Property({ type: 'uuid', nullable: true })
  keyId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The session of the dashboard that made the change; null for API keys.' })
  @Property({ type: 'uuid', nullable: true })
  sessionId!: string | null;
}
