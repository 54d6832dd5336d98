import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Conversation, Message } from './entity.ts';

@ArgsType()
export class ConversationsArguments extends pageArguments(20) {
  @Field(() => ID, { nullable: true, description: 'Only conversations with this agent.' })
  agentId?: string | null;

  @Field(() => enumTypes.ConversationStatus, { nullable: true })
  status?: EnumValue<'ConversationStatus'> | null;

  @Field(() => enumTypes.ConversationChannel, { nullable: true })
  channel?: EnumValue<'ConversationChannel'> | null;

  @Field(() => enumTypes.HandoffStatus, { nullable: true, description: 'Only conversations whose newest handoff has this status.' })
  handoffStatus?: EnumValue<'HandoffStatus'> | null;

  @Field(() => enumTypes.MessageRating, {
    nullable: true,
    description: 'Only conversations with a reply that the visitor rated so.',
  })
  rating?: EnumValue<'MessageRating'> | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, { nullable: true, description: 'Part of the text of a message, in any case.' })
  search?: string | null;
}

@ArgsType()
export class MessagesArguments extends pageArguments(50) {
  @Field(() => enumTypes.MessageRating, { nullable: true, description: 'Only replies that the visitor rated so.' })
  rating?: EnumValue<'MessageRating'> | null;
}

@ObjectType({ description: 'One page of conversations.' })
export class ConversationPage extends PageOf(Conversation, 'ConversationPage') {}

@ObjectType({ description: 'One page of messages.' })
export class MessagePage extends PageOf(Message, 'MessagePage') {}

@ObjectType({ description: 'A question that nothing answered.' })
class UnansweredQuestion {
  @Field(() => ID)
  conversationId!: string;

  @Field(() => ID, { description: 'The id of the reply.' })
  messageId!: string;

  @Field(() => String)
  question!: string;

  @Field(() => String, { description: 'The reply of the agent.' })
  reply!: string;

  @Field(() => Date)
  askedAt!: Date;
}

@ArgsType()
export class UnansweredQuestionsArguments extends pageArguments(20) {
  @Field(() => ID, { nullable: true, description: 'Only questions to this agent.' })
  agentId?: string | null;
}

@ObjectType({ description: 'One page of unanswered questions.' })
export class UnansweredQuestionPage extends PageOf(UnansweredQuestion, 'UnansweredQuestionPage') {}

@ObjectType({ description: 'Confirms that a conversation was deleted.' })
export class DeletedConversation {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}
