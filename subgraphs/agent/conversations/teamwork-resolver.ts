import { LockMode } from '@mikro-orm/postgresql';
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { canonicalId, findById, query, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, memberName } from '../../../platform/identity/index.ts';
import { childPage, type PageRequest } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { QUEUE_CHANNEL } from '../handoff/handoff-state.ts';
import { normalTags, TagsArguments } from '../teamwork/tags.ts';
import { Conversation, ConversationNote, ConversationNotePage, ConversationNotesArguments, NewConversationNote } from './entity.ts';

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
    return assignConversation(scope, id, userId ?? null);
  }

  /** Replace the tags of a conversation. Case and order do not matter. */
  @Mutation(() => Conversation, { description: 'Replace the tags of a conversation.' })
  setConversationTags(@Ctx() scope: RequestScope, @Args(() => TagsArguments) { id, tags }: TagsArguments): Promise<Conversation> {
    return transaction(scope, (inner) =>
      changeWithin(inner, id, (conversation) => {
        conversation.tags = normalTags(tags);
      }),
    );
  }

  /** Add a note that only the team sees. Throws `LIMIT_REACHED` for a conversation with 200 notes. */
  @Idempotent()
  @Mutation(() => ConversationNote, { description: 'Add a note on a conversation that only the team sees.' })
  addConversationNote(
    @Ctx() scope: RequestScope,
    @Args(() => NewConversationNote) { id, text }: NewConversationNote,
  ): Promise<ConversationNote> {
    return transaction(scope, async (inner) => {
      const { id: conversationId } = await findById(inner.em, Conversation, id, 'Conversation', {
        lockMode: LockMode.PESSIMISTIC_WRITE,
      });
      const { organizationId, em } = inner;
      if ((await em.count(ConversationNote, { conversationId, kind: 'note' })) >= MAX_NOTES)
        throw fail('LIMIT_REACHED', `A conversation can have up to ${MAX_NOTES} notes.`);
      const { userId: authorId, name: authorName } = scope.caller;
      const note = em.create(ConversationNote, { organizationId, conversationId, authorId, authorName, text });
      await em.flush();
      return note;
    });
  }

  @FieldResolver(() => ConversationNotePage, { description: 'Notes of the team, oldest first.' })
  notes(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Conversation,
    @Args(() => ConversationNotesArguments) page: ConversationNotesArguments,
  ) {
    return listNotes(scope.within(organizationId), id, page);
  }
}

/** Assign a conversation to a member, or to nobody. Throws `NOT_FOUND` for other users. Says nothing to the visitor. */
function assignConversation(scope: RequestScope, id: string, assignee: string | null): Promise<Conversation> {
  const userId = assignee && canonicalId(assignee);
  return transaction(scope, async (inner) => {
    // Lock the member first, as the removal of a member does, which then unassigns the conversations.
    const name = userId ? await memberName(inner, userId) : null;
    return changeWithin(inner, id, (conversation) => {
      conversation.assignedToName = name;
      conversation.assignedToUserId = userId;
    });
  });
}

/** Notes of a conversation that members wrote. */
const MAX_NOTES = 200;

/** The notes of a conversation, oldest first. Batches a list into one query. */
const listNotes = (scope: RequestScope, conversationId: string, page: PageRequest) =>
  childPage(scope, conversationId, ConversationNote, { of: 'conversationId' }, { orderBy: { createdAt: 'asc', id: 'asc' } }, page);

/** Change a locked conversation. The lists of all operators follow. */
async function changeWithin(inner: Scope, id: string, work: (conversation: Conversation) => void): Promise<Conversation> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
  const conversation = await findById(inner.em, Conversation, id, 'Conversation', lock);
  work(conversation);
  await inner.em.flush();
  await query(inner.em, sql`select pg_notify(${QUEUE_CHANNEL}, ${inner.organizationId}::text)`);
  return conversation;
}
