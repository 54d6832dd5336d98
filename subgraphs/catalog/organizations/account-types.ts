import { ArgsType, Field, Float, ID, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';

// Not the `Organization` of the graph: an operator reads nothing else of an organization.
@ObjectType({ description: 'The plan, modules and credits of an organization, for the operator.' })
export class OrganizationAccount {
  @Field(() => ID, { description: 'The id of the organization.' })
  id!: string;

  @Field(() => String, { description: 'The slug of the organization.' })
  slug!: string;

  @Field(() => wordTypes.Plan)
  plan!: Word<'Plan'>;

  @Field(() => [wordTypes.Module])
  modules!: Word<'Module'>[];

  @Field(() => Float, { description: 'The balance of credits.' })
  credits!: number;
}

@ObjectType()
export class OrganizationAccountPage extends PageOf(OrganizationAccount, 'OrganizationAccountPage') {}

@ArgsType()
export class AccountsArguments extends pageArguments(20) {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { nullable: true, description: 'A part of the slug, or the id.' })
  search?: string;
}

@ArgsType()
export class OrganizationAccountChange {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { description: 'Id or slug of the organization.' })
  organization!: string;

  @Limited({ min: -1_000_000_000, max: 1_000_000_000 })
  @Field(() => Float, { nullable: true, description: 'Added to the balance; a negative amount takes credits back.' })
  credits?: number;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Shown to the organization in its ledger.' })
  reason?: string;

  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String, { nullable: true, description: 'The number of a payment: credits with the same reference are added once.' })
  reference?: string;

  @Field(() => wordTypes.Plan, { nullable: true })
  plan?: Word<'Plan'>;

  @Field(() => [wordTypes.Module], { nullable: true, description: 'Replaces the present modules.' })
  modules?: Word<'Module'>[];
}
