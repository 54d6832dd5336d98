import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

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

  @Field(() => enumTypes.Role)
  @Property({ type: 'string' })
  role!: EnumValue<'Role'>;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  joinedAt: Opt<Date> = clock.now();
}
