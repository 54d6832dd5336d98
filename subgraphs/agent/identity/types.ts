import { Field, ID, ObjectType } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';

@ObjectType({ description: 'An organization that the API key can access.' })
export class IdentityOrganization {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Identifies the organization in REST paths.' })
  slug!: string;
}

@ObjectType({ description: 'The user of the API key and the organizations that the key can access.' })
export class Identity {
  @Field(() => ID)
  userId!: string;

  @ListSize(10)
  @Field(() => [IdentityOrganization], { description: 'Sorted by name.' })
  organizations!: IdentityOrganization[];

  @Field(() => IdentityOrganization, {
    nullable: true,
    description: 'The organization in which the key was created; null if its user has left it.',
  })
  boundOrganization!: IdentityOrganization | null;
}
