import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A secret that an agent shares with its site. Its value is returned once, when it is made.' })
@Entity({ schema: 'agent', tableName: 'signing_secrets' })
export class SigningSecret extends Owned {
  @Property({ type: 'uuid' })
  agentId!: string;

  @FieldProperty(() => enumTypes.SigningPurpose, { type: 'string' })
  purpose!: EnumValue<'SigningPurpose'>;

  /** The encrypted value, and the one before the last rotation. */
  @Property({ type: 'blob' })
  sealed!: Buffer;

  @Property({ type: 'blob', nullable: true })
  previousSealed: Buffer | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'Until when the secret before the last rotation is valid, too; null without one.',
  })
  previousExpiresAt: Date | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now(), description: 'When the secret was last rotated.' })
  updatedAt: Opt<Date> = this.createdAt;
}

@ObjectType({ description: 'A new signing secret. Store it now: it is never returned again.' })
export class NewSigningSecret extends output({
  purpose: field(enumTypes.SigningPurpose),
  secret: field(String, 'The value, which begins with `whsec_`.'),
  previousExpiresAt: field(Date, {
    nullable: true,
    description: 'Until when the previous secret is valid, too; null without one.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a signing secret was deleted.' })
export class DeletedSigningSecret extends Deletion {}

/** A visitor whose identity the site of an agent has signed. */
@Entity({ schema: 'agent', tableName: 'visitors' })
export class Visitor extends Owned {
  @Property({ type: 'uuid' })
  agentId!: string;

  @Property({ type: 'uuid' })
  contactId!: string;

  /** The `sub` of the identity token, unique within the agent. */
  @Property({ type: 'string', length: 255 })
  subject!: string;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'The identity of the visitor of a page, as its token states it.' })
export class VisitorIdentity extends output({
  status: field(enumTypes.IdentityStatus),
  error: field(String, { nullable: true, description: 'Why the token is not valid; null if it is.' }),
  subject: field(String, { nullable: true, description: 'The `sub` of a valid token.' }),
  name: field(String, { nullable: true }),
  email: field(String, { nullable: true }),
  expiresAt: field(Date, { nullable: true, description: 'When the token expires. Send a new one before.' }),
}) {}
