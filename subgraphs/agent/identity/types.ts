import { Field, ID, ObjectType } from 'type-graphql';
import { ListSize } from '../../common/list-size.ts';

@ObjectType({ description: 'An organization as the integration API names it.' })
export class IdentityOrganization {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  slug!: string;
}

@ObjectType({ description: 'Whose key it is, and which organizations it reaches.' })
export class Identity {
  @Field(() => ID)
  userId!: string;

  @ListSize(10)
  @Field(() => [IdentityOrganization], { description: 'Every organization of the user, by name.' })
  organizations!: IdentityOrganization[];

  @Field(() => IdentityOrganization, {
    nullable: true,
    description: 'The organization the key was made in; null when its user has left it.',
  })
  boundOrganization!: IdentityOrganization | null;
}
