import { Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

/** Base of brands and categories: a name that products carry as text. */
@ObjectType()
export abstract class Label extends Owned {
  @Field(() => String, { description: 'Unique within the organization, ignoring case.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'text' })
  slug!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
