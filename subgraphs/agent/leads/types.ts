import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { RecentArguments } from '../recent-list.ts';

@ArgsType()
export class LeadsArguments extends RecentArguments {
  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'The exact e-mail address, ignoring case.' })
  email?: string | null;
}

@InputType({ description: 'A lead to create. It needs a name or an e-mail address.' })
export class NewLead {
  @Field(() => ID)
  agentId!: string;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'Selects the contact, ignoring case.' })
  email?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true })
  phone?: string | null;
}
