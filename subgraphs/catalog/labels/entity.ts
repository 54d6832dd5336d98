import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

/** Base of brands and categories: a name that products carry as text. */
@ObjectType()
export abstract class Label extends Owned {
  @FieldProperty({ type: 'text', description: 'Unique within the organization, ignoring case.' })
  name!: string;

  @FieldProperty({ type: 'text', description: 'Unique within the organization.' })
  slug!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
