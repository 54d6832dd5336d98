import { ArgsType, Field, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Invitation } from '../../common/identity/invitation-entity.ts';
import { Limited } from '../../common/limits.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

@ArgsType()
export class NewInvitation {
  @Limited({ maxLength: 320, pattern: EMAIL, format: 'email' })
  @Field(() => String, { description: 'The e-mail address of the user who may accept, in any case.' })
  email!: string;

  @Field(() => wordTypes.Role, { description: 'The role that the user gets by accepting. Only an owner invites owners.' })
  role!: Word<'Role'>;
}

@ObjectType({ description: 'A new invitation with its token.' })
export class CreatedInvitation {
  @Field(() => String, { description: 'Send it to the invited user: it is shown only now and works once.' })
  token!: string;

  @Field(() => Invitation, { description: 'The invitation.' })
  invitation!: Invitation;
}

@ArgsType()
export class Acceptance {
  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String, { description: 'The token of the invitation.' })
  token!: string;
}
