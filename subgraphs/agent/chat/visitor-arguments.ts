import { ArgsType, type ClassType, Field } from 'type-graphql';
import { type Limit, Limited } from '../../../platform/input/index.ts';

/** Only documents the form. `visitorOf` checks it, and creates an id for a new visitor. */
export const VISITOR_ID: Limit = { format: 'uuid' };

/** The argument that identifies a visitor. */
export interface VisitorArgument {
  visitorId?: string | null;
}

function visitorArguments(description: string): ClassType<VisitorArgument> {
  @ArgsType()
  class VisitorArguments {
    @Limited(VISITOR_ID)
    @Field(() => String, { nullable: true, description })
    visitorId?: string | null;
  }
  return VisitorArguments;
}

export const NewVisitor = visitorArguments('The visitor id of an earlier reply. A new visitor gets one.');
export const KnownVisitor = visitorArguments('The visitor id of an earlier reply.');
export const ConversationVisitor = visitorArguments('The visitor id of the conversation.');
