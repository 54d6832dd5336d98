import { ArgsType, Field, ObjectType } from 'type-graphql';
import { Invitation } from '../../../platform/identity/index.ts';
import { EMAIL, Limited } from '../../../platform/input/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@ArgsType()
export class NewInvitation {
  @Limited(EMAIL)
  @Field(() => String, { description: 'The user who may accept. Case is ignored.' })
  email!: string;

  @Field(() => wordTypes.Role, { description: 'The role of the user after accepting. Only an owner can invite owners.' })
  role!: Word<'Role'>;
}

@ObjectType({ description: 'A new invitation and its token.' })
export class CreatedInvitation {
  @Field(() => String, {
    nullable: true,
    description:
      'Send it to the invited user, in a link to `/invitation/<token>` of the dashboard. It is returned only once and works only once. Null in the response to a repeated `Idempotency-Key`.',
  })
  token!: string | null;

  @Field(() => Invitation)
  invitation!: Invitation;
}

@ObjectType({ description: 'An open invitation, for the user who received its token.' })
export class ReceivedInvitation {
  @Field(() => String, { description: 'Name of the organization.' })
  organization!: string;

  @Field(() => String, { description: 'The e-mail address of the user who may accept.' })
  email!: string;

  @Field(() => wordTypes.Role)
  role!: Word<'Role'>;

  @Field(() => String, { description: 'Name of the user who sent the invitation.' })
  inviter!: string;

  @Field(() => Date)
  expiresAt!: Date;
}

@ArgsType()
export class Acceptance {
  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String)
  token!: string;
}
