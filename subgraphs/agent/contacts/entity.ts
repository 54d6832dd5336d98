import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({
  description: 'A person who contacted the organization. Leads and tickets of one typed e-mail address share a contact.',
})
@Entity({ schema: 'agent', tableName: 'contacts' })
export class Contact extends Owned {
  @FieldProperty({
    type: 'string',
    nullable: true,
    description: 'In lower case, unique among the contacts of the organization that are not verified.',
  })
  email: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  name: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  phone: string | null = null;

  @FieldProperty({
    type: 'boolean',
    description: 'Whether the site has signed the identity. An address that a visitor typed never finds such a contact.',
  })
  verified: Opt<boolean> = false;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
