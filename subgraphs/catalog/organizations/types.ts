import { ArgsType, Directive, Field, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { ApiKey, CreditEntry, User } from '../../common/identity/entity.ts';
import { Limited, SLUG } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';

@ObjectType({ description: 'A user as a member of an organization.' })
export class Member {
  @Field(() => User)
  user!: User;

  @Field(() => wordTypes.Role)
  role!: Word<'Role'>;

  @Field(() => Date)
  joinedAt!: Date;
}

@ObjectType({ description: 'A new key. This is the only time its value is shown.' })
export class CreatedApiKey {
  @Field(() => String, {
    nullable: true,
    description:
      'The value for `x-api-key`. Store it now: it cannot be read again. Null in the answer to a repeated `Idempotency-Key`.',
  })
  key!: string | null;

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
  @Field(() => String, { description: 'The display name.' })
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Stands for the id in REST paths.' })
  slug!: string;
}

@ArgsType()
export class OrganizationChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'The display name.' })
  name?: string;

  @Limited(SLUG)
  @Field(() => String, { nullable: true, description: 'Paths with the old slug end to work.' })
  slug?: string;
}

@ArgsType()
export class NewApiKey {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { description: 'What the key is for: one per service or environment.' })
  name!: string;

  @Field(() => Date, { nullable: true, description: 'The key ends to work then; never when absent.' })
  expiresAt?: Date;
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
