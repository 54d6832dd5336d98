import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A person who contacted the organization. Leads and tickets of one e-mail address share a contact.' })
@Entity({ schema: 'agent', tableName: 'contacts' })
export class Contact extends Owned {
  @Field(() => String, { nullable: true, description: 'In lower case, unique within the organization.' })
  @Property({ type: 'string', nullable: true })
  email: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  name: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  phone: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
