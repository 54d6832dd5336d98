import { InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, input } from '../../../platform/fields/index.ts';

@ObjectType({ description: 'A secret that tools of the organization use as `{{secret:NAME}}`. Its value is never returned.' })
@Table('agent.secrets')
export class Secret extends columns(Owned, {
  name: column('string', { length: 64, description: 'Unique within the organization.' }),
  /** The encrypted value. */
  sealed: hidden('blob', { lazy: true }),
  createdAt: column('datetime', { initial: clock.now }),
  updatedAt: column('datetime', {
    initial: (row: { createdAt: Date }) => row.createdAt,
    onUpdate: clock.now,
    description: 'When the value was last replaced.',
  }),
}) {}

@InputType({ description: 'A new value of a secret.' })
export class SecretChange extends input({
  value: field(String, { minLength: 1, maxLength: 8_192, description: 'Stored encrypted, and never returned.' }),
}) {}

@InputType({ description: 'The name and the value of a new secret.' })
export class NewSecret extends input(SecretChange, {
  name: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: /^[A-Z][A-Z0-9_]*$/,
    description: 'The name in placeholders. Unique within the organization.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a secret was deleted.' })
export class DeletedSecret extends Deletion {}
