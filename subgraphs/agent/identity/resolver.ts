import { Authorized, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';

@ObjectType({ description: 'An organization that the API key can access.' })
class IdentityOrganization {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Identifies the organization in REST paths.' })
  slug!: string;
}

@ObjectType({ description: 'The user of the API key and the organizations that the key can access.' })
class Identity {
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

@Resolver()
export class IdentityResolver {
  @Authorized('user')
  @Query(() => Identity, { description: 'The user of the API key and the organizations that the key can access.' })
  identity(@Ctx() { caller: { userId, organizations, boundOrganizationId } }: RequestScope): Identity {
    return { userId, organizations, boundOrganization: organizations.find(({ id }) => id === boundOrganizationId) ?? null };
  }
}
