import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { InputType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { field, input } from '../../../platform/fields/index.ts';

@ObjectType({ description: 'A secret that tools of the organization use as `{{secret:NAME}}`. Its value is never returned.' })
@Entity({ schema: 'agent', tableName: 'secrets' })
export class Secret extends Owned {
  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the organization.' })
  name!: string;

  /** The encrypted value. */
  @Property({ type: 'blob', lazy: true })
  sealed!: Buffer;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now(), description: 'When the value was last replaced.' })
  updatedAt: Opt<Date> = this.createdAt;
}

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
