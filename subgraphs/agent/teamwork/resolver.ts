import { Args, Ctx, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import {
  column,
  columns,
  Deletion,
  findById,
  lockName,
  Owned,
  readRows,
  Table,
  timestamps,
} from '../../../platform/database/index.ts';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { NOT_BLANK } from '../../../schema/text.ts';

@ObjectType({ description: 'A text that operators insert into their replies by its name.' })
@Table('agent.canned_replies')
export class CannedReply extends columns(Owned, {
  name: column('text', 'Unique within the organization, in lower case.'),
  text: column('text', '`{{name}}` stands for the name of the visitor, and `{{name|there}}` for `there` if the name is unknown.'),
  ...timestamps,
}) {}

class CannedReplyArguments extends args({
  name: field(String, {
    minLength: 1,
    maxLength: 40,
    pattern: /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u,
    description: 'Letters, digits, hyphens and underscores. Stored in lower case.',
  }),
  text: field(String, { minLength: 1, maxLength: 4_000, pattern: NOT_BLANK }),
}) {}

@ObjectType({ description: 'Confirms that a canned reply was deleted.' })
class DeletedCannedReply extends Deletion {}

@Access('member')
@Resolver(() => CannedReply)
export class CannedReplyResolver {
  @ListSize(50)
  @Query(() => [CannedReply], { description: 'All canned replies of the organization, sorted by name.' })
  cannedReplies(@Ctx() scope: RequestScope): Promise<CannedReply[]> {
    return readRows(scope, CannedReply, { orderBy: { name: 'asc' } }, { limit: MAX_REPLIES, offset: 0 });
  }

  /** Throws `CONFLICT` if the name is taken, and `UNPROCESSABLE` beyond the limit. */
  @Idempotent()
  @Mutation(() => CannedReply, { description: 'Create a canned reply. An organization can have up to 200.' })
  createCannedReply(
    @Ctx() scope: RequestScope,
    @Args(() => CannedReplyArguments) { name, text }: CannedReplyArguments,
  ): Promise<CannedReply> {
    return transaction(scope, async (inner) => {
      const { em, organizationId } = inner;
      const free = await freeName(inner, name);
      if ((await em.count(CannedReply)) >= MAX_REPLIES)
        throw fail('UNPROCESSABLE', `An organization has at most ${MAX_REPLIES} canned replies.`);
      const reply = em.create(CannedReply, { organizationId, name: free, text });
      await em.flush();
      return reply;
    });
  }

  /** Throws `NOT_FOUND`, or `CONFLICT` if another reply has the name. */
  @Mutation(() => CannedReply, { description: 'Replace the name and the text of a canned reply.' })
  updateCannedReply(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Args(() => CannedReplyArguments) { name, text }: CannedReplyArguments,
  ): Promise<CannedReply> {
    return transaction(scope, async (inner) => {
      const free = await freeName(inner, name, id);
      const reply = await findById(inner.em, CannedReply, id, 'Canned reply', { refresh: true });
      Object.assign(reply, { name: free, text });
      await inner.em.flush();
      return reply;
    });
  }

  /** Throws `NOT_FOUND`. */
  @Mutation(() => DeletedCannedReply, { description: 'Delete a canned reply. Messages with its text stay.' })
  deleteCannedReply(@Ctx() scope: RequestScope, @Id() id: string) {
    return transaction(scope, async ({ em }) => {
      const { id: found } = await findById(em, CannedReply, id, 'Canned reply');
      await em.nativeDelete(CannedReply, { id: found });
      return { id: found, deleted: true };
    });
  }
}

/** Composers read all of them. */
const MAX_REPLIES = 200;

/** The stored form of a name that no other reply has. The lock keeps it free, and the count valid, until the commit. */
async function freeName({ em, organizationId }: Scope, name: string, ownId?: string): Promise<string> {
  await lockName(em, `canned replies of ${organizationId}`);
  const stored = name.normalize('NFC').toLowerCase();
  const other = await em.findOne(CannedReply, { name: stored });
  if (other && other.id !== ownId?.toLowerCase()) throw fail('CONFLICT', `A canned reply with the name ${stored} already exists.`);
  return stored;
}
