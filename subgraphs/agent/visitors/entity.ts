import { ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A secret that an agent shares with its site. Its value is returned once, when it is made.' })
@Table('agent.signing_secrets')
export class SigningSecret extends columns(Owned, {
  agentId: hidden('uuid'),
  purpose: column(enumTypes.SigningPurpose),
  /** The encrypted value, and the one before the last rotation. */
  sealed: hidden('blob'),
  previousSealed: hidden('blob', { nullable: true }),
  previousExpiresAt: column('datetime', {
    nullable: true,
    description: 'Until when the secret before the last rotation is valid, too; null without one.',
  }),
  createdAt: column('datetime', { initial: clock.now }),
  updatedAt: column('datetime', {
    initial: (row: { createdAt: Date }) => row.createdAt,
    onUpdate: clock.now,
    description: 'When the secret was last rotated.',
  }),
}) {}

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
@Table('agent.visitors')
export class Visitor extends columns(Owned, {
  agentId: hidden('uuid'),
  contactId: hidden('uuid'),
  /** The `sub` of the identity token, unique within the agent. */
  subject: hidden('string', { length: 255 }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'The identity of the visitor of a page, as its token states it.' })
export class VisitorIdentity extends output({
  status: field(enumTypes.IdentityStatus),
  error: field(String, { nullable: true, description: 'Why the token is not valid; null if it is.' }),
  subject: field(String, { nullable: true, description: 'The `sub` of a valid token.' }),
  name: field(String, { nullable: true }),
  email: field(String, { nullable: true }),
  expiresAt: field(Date, { nullable: true, description: 'When the token expires. Send a new one before.' }),
}) {}

/** The visitor that the site of an agent has signed in. */
export interface Identity {
  subject: string;
  email: string | null;
  name: string | null;
  /** The further claims of the token, which tools use as `{{visitor.claims.x}}`. */
  claims: Record<string, unknown>;
  /** Milliseconds since 1970. */
  expiresAt: number;
}
