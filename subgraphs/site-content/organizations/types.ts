import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** The stub of `Organization` in this subgraph. The catalog owns its other fields. */
@ObjectType('Organization')
@Directive('@key(fields: "id")')
export class SiteOrganization {
  @Field(() => ID)
  id!: string;
}
