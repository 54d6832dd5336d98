import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A person who contacted the organization. Leads and tickets of one e-mail address share a contact.' })
@Entity({ schema: 'agent', tableName: 'contacts' })
export class Contact extends Owned {
  @FieldProperty({ type: 'string', nullable: true, description: 'In lower case, unique within the organization.' })
  email: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  name: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  phone: string | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
