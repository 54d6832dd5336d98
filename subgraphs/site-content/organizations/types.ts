import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** What this subgraph knows of an organization; the catalog owns the rest. */
@ObjectType('Organization')
@Directive('@key(fields: "id")')
export class SiteOrganization {
  @Field(() => ID)
  id!: string;
}
