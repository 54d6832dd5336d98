import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { TagsArguments } from '../teamwork/tags.ts';
import { Conversation, ConversationNote, ConversationNotePage, ConversationNotesArguments, NewConversationNote } from './entity.ts';
import * as teamwork from './teamwork.ts';

/** The work of the team on conversations, of which visitors notice nothing. */
@Access('member')
@Resolver(() => Conversation)
export class ConversationTeamResolver {
  @Mutation(() => Conversation, { description: 'Assign a conversation to a member, or to nobody. The visitor is not told.' })
  assignConversation(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('userId', () => ID, { nullable: true }) userId?: string | null,
  ) {
    return teamwork.assignConversation(scope, id, userId ?? null);
  }

  @Mutation(() => Conversation, { description: 'Replace the tags of a conversation.' })
  setConversationTags(@Ctx() scope: RequestScope, @Args(() => TagsArguments) { id, tags }: TagsArguments) {
    return teamwork.setTags(scope, id, tags);
  }

  @Idempotent()
  @Mutation(() => ConversationNote, { description: 'Add a note on a conversation that only the team sees.' })
  addConversationNote(@Ctx() scope: RequestScope, @Args(() => NewConversationNote) { id, text }: NewConversationNote) {
    return teamwork.addNote(scope, id, text);
  }

  @FieldResolver(() => ConversationNotePage, { description: 'Notes of the team, oldest first.' })
  notes(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Conversation,
    @Args(() => ConversationNotesArguments) page: ConversationNotesArguments,
  ) {
    return teamwork.listNotes(scope.within(organizationId), id, page);
  }
}
