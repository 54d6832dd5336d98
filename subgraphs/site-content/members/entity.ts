import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ObjectType({
  description: 'A member of a workspace. Its owners and admins may edit its content, also as plain members of the organization.',
})
@Entity({ schema: 'site_content', tableName: 'members' })
@OfWorkspace('workspaceId')
export class WorkspaceMember extends Owned {
  @Property({ type: 'uuid' })
  workspaceId!: string;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  userId!: string;

  @Field(() => wordTypes.Role)
  @Property({ type: 'string' })
  role!: Word<'Role'>;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  joinedAt: Opt<Date> = clock.now();
}
