import { GraphQLJSONObject } from 'graphql-scalars';
import type { RawBuilder } from 'kysely';
import { Arg, Ctx, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { isId, query, sql } from '../../../platform/database/index.ts';
import { field, Id, list, output } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Contact } from '../contacts/entity.ts';
import { findContact } from '../contacts/service.ts';
import { conversationsOf, isAnonymous } from './conversations.ts';
import { ContactErasure } from './entity.ts';
import { hasValue } from './records.ts';
import * as erasures from './service.ts';

@ObjectType({ description: 'A part of the stored data of a contact.' })
class ContactExport extends output({
  records: list(GraphQLJSONObject, {
    assumedSize: 100,
    description:
      'Records, each with its `type`: `contact`, `lead`, `submission`, `ticket`, `ticketMessage`, `conversation`, `message`, `handoff` or `toolCall`. A part before the last one can be empty.',
  }).as<Record<string, unknown>[]>(),
  endCursor: field(String, { nullable: true, description: 'Pass it as `after` to read the next part; null at the end.' }),
}) {}

@Access('admin')
@Resolver(() => Contact)
export class ContactErasureResolver {
  /**
   * A part of the stored data of a contact. Throws `NOT_FOUND`, and `INVALID_INPUT` for a malformed cursor.
   * @param after the cursor of the part before
   */
  @Query(() => ContactExport, {
    nullable: true,
    description:
      'All stored data of a contact, in parts of about 100 records: its leads, submissions, tickets and conversations, as `eraseContact` would erase them.',
  })
  async exportContact(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the previous part.' }) after?: string | null,
  ) {
    const contact = await findContact(scope, id);
    const sections = sectionsOf(contact.id, scope.organizationId, contact.email);
    let { section, keys } = after ? parse(after, sections) : { section: 0, keys: null };
    const records: Record<string, unknown>[] = [];
    for (; section < sections.length; section += 1, keys = null) {
      const rows = await readSection(scope, sections[section]!, keys);
      const { type } = sections[section]!;
      records.push(...rows.flatMap(({ record }) => (record ? [{ type, ...record }] : [])));
      const last = rows.at(-1);
      // A section with a single row is complete.
      if (last && section > 0) return { records, endCursor: write({ section, keys: [last.first, last.second] }) };
    }
    return { records, endCursor: null };
  }

  @Mutation(() => ContactErasure, {
    description:
      'Erase a contact for good: its leads, submissions, conversations with their tool calls, the content of its tickets, webhook deliveries about them, and stored responses. Numbers and statuses of tickets stay. Running chats end. A contact that is being erased already returns that erasure.',
  })
  eraseContact(@Ctx() scope: RequestScope, @Arg('id', () => ID, { description: 'The contact.' }) id: string) {
    return erasures.eraseContact(scope, id);
  }

  @Query(() => ContactErasure, { nullable: true, description: 'The erasure of a contact, also when it is complete.' })
  contactErasure(@Ctx() scope: RequestScope, @Id('contactId') contactId: string) {
    return erasures.findErasure(scope, contactId);
  }

  @FieldResolver(() => ContactErasure, { nullable: true, description: 'Set while the contact is being erased.' })
  erasure(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Contact) {
    return erasures.erasureOf(scope.within(organizationId), id);
  }
}

/** Records of one part, and submissions that one part searches for the e-mail address. */
const [RECORDS, SEARCHED] = [100, 2_000];
/** Bytes after which a part has no further record. */
const BYTES = 1_000_000;

/** The place after which an export continues: a section, and the keys of its last row. */
interface Place {
  section: number;
  keys: readonly [string, string] | null;
}

interface Section {
  type: string;
  /** Sort keys with their types. Distinct by default: time and id. */
  keys?: { first: [string, string]; second: [string, string] };
  columns: readonly string[];
  from: RawBuilder<unknown>;
  /** Rows are searched by this condition instead of selected by an index. */
  matching?: RawBuilder<unknown>;
}

/** The sections of an export, in their order. Each row of `from` is `r`. */
function sectionsOf(id: string, organizationId: string, email: string | null): Section[] {
  const conversations = conversationsOf(id, organizationId);
  const tickets = sql`(select id from agent.tickets where contact_id = ${id}
    union select t.id from agent.tickets t where t.conversation_id in ${conversations} and ${isAnonymous('t.contact_id')})`;
  const origin = ['conversation_id', 'agent_id', 'agent_name', 'created_at'];
  const submission = ['id', 'form_name', 'values', ...origin];
  return [
    {
      type: 'contact',
      columns: ['id', 'email', 'name', 'phone', 'verified', 'created_at', 'updated_at'],
      from: sql`agent.contacts r where r.id = ${id}`,
    },
    {
      type: 'visitor',
      columns: ['id', 'agent_id', 'subject', 'created_at'],
      from: sql`agent.visitors r where r.contact_id = ${id}`,
    },
    {
      type: 'lead',
      columns: ['id', 'name', 'email', 'phone', ...origin],
      from: sql`agent.leads r where r.id in (
        select id from agent.leads where contact_id = ${id}
        union select l.id from agent.leads l where l.conversation_id in ${conversations} and ${isAnonymous('l.contact_id')})`,
    },
    { type: 'submission', columns: submission, from: sql`agent.form_submissions r where r.conversation_id in ${conversations}` },
    ...(email === null
      ? []
      : [
          {
            type: 'submission',
            columns: submission,
            from: sql`agent.form_submissions r where r.organization_id = ${organizationId}`,
            // Those of the conversations are in the section before.
            matching: sql`${hasValue(email)} and (r.conversation_id is null or r.conversation_id not in ${conversations})`,
          },
        ]),
    {
      type: 'ticket',
      columns: [
        ...['id', 'ticket_number', 'subject', 'description', 'status', 'priority', 'category', 'source', 'requester_name'],
        ...['requester_email', 'conversation_summary', 'assigned_to_name', 'tags', 'last_activity_at', ...origin],
      ],
      from: sql`agent.tickets r where r.id in ${tickets}`,
    },
    {
      type: 'ticketMessage',
      columns: ['id', 'ticket_id', 'kind', 'author_name', 'text', 'created_at'],
      from: sql`agent.ticket_messages r where (r.ticket_id in ${tickets} or r.merged_from_id in ${tickets})`,
    },
    {
      type: 'conversation',
      columns: ['id', 'agent_id', 'visitor_id', 'channel', 'status', 'summary', 'tags', 'created_at', 'last_message_at'],
      from: sql`agent.conversations r where r.id in ${conversations}`,
    },
    {
      type: 'pageContext',
      keys: { first: ['updated_at', 'timestamptz'], second: ['conversation_id', 'uuid'] },
      columns: ['conversation_id', 'context', 'updated_at'],
      from: sql`agent.page_contexts r where r.conversation_id in ${conversations}`,
    },
    {
      type: 'message',
      keys: { first: ['conversation_id', 'uuid'], second: ['position', 'integer'] },
      columns: [
        ...['id', 'conversation_id', 'position', 'role', 'text', 'parts', 'status', 'replaced', 'author_name', 'rating'],
        ...['rating_comment', 'created_at'],
      ],
      from: sql`agent.messages r where r.conversation_id in ${conversations}`,
    },
    {
      type: 'handoff',
      columns: ['id', 'conversation_id', 'status', 'reason', 'operator_name', 'created_at', 'ended_at'],
      from: sql`agent.handoffs r where r.conversation_id in ${conversations}`,
    },
    {
      type: 'approval',
      columns: ['id', 'conversation_id', 'tool_name', 'text', 'input', 'status', 'decided_by_name', 'created_at', 'decided_at'],
      from: sql`agent.approvals r where r.conversation_id in ${conversations}`,
    },
    {
      type: 'toolCall',
      columns: ['id', 'conversation_id', 'tool_name', 'status', 'request', 'error', 'created_at'],
      from: sql`agent.tool_calls r where r.conversation_id in ${conversations}`,
    },
  ];
}

interface Row {
  first: string;
  second: string;
  /** Null for a row that was searched and does not match. */
  record: Record<string, unknown> | null;
}

const TIME_AND_ID: NonNullable<Section['keys']> = { first: ['created_at', 'timestamptz'], second: ['id', 'uuid'] };

function readSection({ em }: Scope, section: Section, after: Place['keys']): Promise<Row[]> {
  const { first, second } = section.keys ?? TIME_AND_ID;
  const [a, b] = [sql.ref(`r.${first[0]}`), sql.ref(`r.${second[0]}`)];
  const [firstType, secondType] = [sql.raw(first[1]), sql.raw(second[1])];
  const behind = after ? sql`and (${a}, ${b}) > (${after[0]}::${firstType}, ${after[1]}::${secondType})` : sql``;
  const pairs = section.columns.map((column) => sql`${sql.lit(camel(column))}, ${sql.ref(`r.${column}`)}`);
  const json = sql`jsonb_build_object(${sql.join(pairs)})`;
  const record = section.matching ? sql`case when ${section.matching} then ${json} end` : json;
  const limit = section.matching ? SEARCHED : RECORDS;
  return query(
    em,
    sql<Row>`
      with page as (select ${a} as a, ${b} as b, ${record} as record from ${section.from} ${behind} order by 1, 2 limit ${limit}),
      sized as (
        select *, sum(octet_length(record::text)) over (order by a, b rows between unbounded preceding and 1 preceding) as bytes from page)
      select a::text as first, b::text as second, record from sized where coalesce(bytes, 0) < ${BYTES} order by a, b`,
  );
}

const camel = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const write = ({ section, keys }: Place): string => Buffer.from(JSON.stringify([section, keys])).toString('base64url');

function parse(cursor: string, sections: readonly Section[]): Place {
  try {
    const [section, keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, [string, string]];
    const { first, second } = sections[section]!.keys ?? TIME_AND_ID;
    if (keys.length === 2 && isKey[first[1]]!(keys[0]) && isKey[second[1]]!(keys[1])) return { section, keys };
  } catch {
    // It is refused below.
  }
  throw fail('INVALID_INPUT', 'after must be the endCursor of an earlier part');
}

/** PostgreSQL would fail for other text. */
const isKey: Record<string, (key: string) => boolean> = {
  uuid: isId,
  integer: (key) => /^\d{1,9}$/.test(key),
  timestamptz: (key) =>
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/.test(key) && !Number.isNaN(Date.parse(key.slice(0, 19))),
};
