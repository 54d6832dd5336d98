import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A secret that tools of the organization use as `{{secret:NAME}}`. Its value is never returned.' })
@Entity({ schema: 'agent', tableName: 'secrets' })
export class Secret extends Owned {
  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'string', length: 64 })
  name!: string;

  /** The encrypted value. */
  @Property({ type: 'blob', lazy: true })
  sealed!: Buffer;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { description: 'When the value was last replaced.' })
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
