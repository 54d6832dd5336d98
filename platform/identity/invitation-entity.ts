import { Entity, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { wordTypes } from '../../schema/scalars.ts';
import type { Word } from '../../schema/words.ts';
import { clock, Owned } from '../database/index.ts';

@ObjectType({
  description: 'An offer of membership. It is open until the user accepts it, an admin revokes it, or it expires.',
})
@Entity({ schema: 'identity', tableName: 'invitations' })
@Unique({ properties: ['organizationId', 'email'] })
export class Invitation extends Owned {
  @Field(() => String, { description: 'In lowercase.' })
  @Property({ type: 'string', length: 320 })
  email!: string;

  @Field(() => wordTypes.Role, { description: 'The role of the user after accepting.' })
  @Property({ type: 'string' })
  role!: Word<'Role'>;

  @Unique()
  @Property({ type: 'blob' })
  tokenHash!: Buffer;

  @Property({ type: 'uuid' })
  inviterId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { description: 'Seven days after the invitation.' })
  @Property({ type: 'datetime' })
  expiresAt!: Date;
}
