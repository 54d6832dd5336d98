import { ArgsType, Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import { wordScalars } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { ApiKey, CreditEntry, User } from '../../common/identity/entity.ts';
import { Limited, SLUG } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';

export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

@ObjectType({ description: 'A user as a member of an organization.' })
export class Member {
  @Field(() => User)
  user!: User;

  @Field(() => wordScalars.Role)
  role!: Word<'Role'>;

  @Field(() => Date)
  joinedAt!: Date;
}

@ObjectType({ description: 'A new key. This is the only time its value is shown.' })
export class CreatedApiKey {
  @Field(() => String, { description: 'The value for `x-api-key`. Store it now: it cannot be read again.' })
  key!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@ObjectType()
export class CreditEntryPage extends PageOf(CreditEntry, 'CreditEntryPage') {}

@ArgsType()
export class CreditEntriesArguments extends pageArguments(20) {}

@ArgsType()
export class NewOrganization {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Stands for the id in REST paths.' })
  slug!: string;
}

@ArgsType()
export class OrganizationChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string;

  @Limited(SLUG)
  @Field(() => String, { nullable: true, description: 'Paths with the old slug end to work.' })
  slug?: string;

  @Field(() => wordScalars.Plan, { nullable: true })
  plan?: Word<'Plan'>;

  @Field(() => [wordScalars.Module], { nullable: true, description: 'The modules switched on; replaces the present ones.' })
  modules?: Word<'Module'>[];
}

@ArgsType()
export class NewMember {
  @Limited({ maxLength: 320, pattern: EMAIL })
  @Field(() => String, { description: 'Names the user; one that is not known yet is created.' })
  email!: string;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'For a new user; the e-mail address when absent.' })
  name?: string;

  @Field(() => wordScalars.Role)
  role!: Word<'Role'>;
}

@ArgsType()
export class NewApiKey {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { description: 'What the key is for: one per service or environment.' })
  name!: string;

  @Field(() => Date, { nullable: true, description: 'The key ends to work then; never when absent.' })
  expiresAt?: Date;
}

@ArgsType()
export class NewCredits {
  @Limited({ min: 0.0001, max: 1_000_000_000 })
  @Field(() => Float)
  amount!: number;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  reason!: string;

  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String, { nullable: true, description: 'A payment’s own number: adding it twice adds it once.' })
  reference?: string;
}

@ObjectType({ description: 'Where a request stands in its rate limit, and why it would be refused.' })
@Directive('@inaccessible')
export class AdmissionAnswer {
  @Field(() => Int)
  limit!: number;

  @Field(() => Int)
  remaining!: number;

  @Field(() => Int)
  reset!: number;

  @Field(() => AdmissionRefusal, { nullable: true })
  refusal?: AdmissionRefusal | null;
}

@ObjectType()
@Directive('@inaccessible')
export class AdmissionRefusal {
  @Field(() => String)
  code!: string;

  @Field(() => String)
  message!: string;
}
