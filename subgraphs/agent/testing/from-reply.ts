import { isId, query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { READ_TOOL, SEARCH_TOOL } from '../catalog/catalog-tools.ts';
import type { MessagePart, ToolPart } from '../chat/reply-store.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { HANDOFF_TOOL } from '../handoff/handoff-tool.ts';
import { isShortWord, languageOf } from '../language.ts';
import type { NewTestCheck, NewTestRecording } from './case-parts.ts';
import type { TestCase } from './entity.ts';
import { addCases, findSet } from './service.ts';

/** The newest messages of a conversation that become a case. */
const MAX_MESSAGES = 10;
const [MAX_RECORDINGS, MAX_OUTPUT, MAX_CHECKS] = [20, 40_000, 10];
const MAX_ANSWER = 4_000;

interface Found extends Person {
  contactId: string | null;
  text: string;
  unanswered: boolean;
  rating: string | null;
  questions: string[];
  /** The tools of the agent, by name. */
  tools: Record<string, 'public' | 'personal'>;
  parts: MessagePart[][];
}

/**
 * Adds a case from a reply: the messages of the visitor until then, and the results of its tools. Throws `NOT_FOUND` for a reply of another
 * agent, and `INVALID_INPUT` for a message that is no reply.
 */
export async function createCaseFromReply(
  scope: RequestScope,
  testSetId: string,
  messageId: string,
  answer: string | null,
): Promise<TestCase> {
  const { agentId } = await findSet(scope, testSetId);
  if (answer !== null && answer.length > MAX_ANSWER) throw fail('INVALID_INPUT', `answer must be at most ${MAX_ANSWER} characters`);
  const reply = isId(messageId) ? await findReply(scope, agentId, messageId) : undefined;
  if (!reply) throw fail('NOT_FOUND', 'Reply not found');
  const redact = redactor(reply);
  const messages = redact(reply.questions).filter((text) => text.trim() !== '');
  const question = messages.at(-1);
  if (!question) throw fail('INVALID_INPUT', 'The reply answers no message of a visitor.');
  const expected = answer === null ? null : redact(answer).trim() || null;
  const input = {
    name: truncate(question.replace(/\s+/g, ' ').trim(), 200),
    messages,
    identity: null,
    checks: checksFor(question, expected, answer ?? ''),
    recordings: redact(recordingsIn(reply)),
    expectation: expected,
    origin: originOf(reply),
    messageId,
    contactId: reply.contactId,
  };
  return scope.write(async (inner) => {
    await holdReply(inner, messageId);
    const [added] = await addCases(inner, testSetId, [input]);
    return added!;
  });
}

/** Lets an erasure of the conversation wait for the commit, so that it finds the case. Throws `NOT_FOUND` if it has begun. */
async function holdReply({ em, organizationId }: Scope, messageId: string): Promise<void> {
  const held = await query(
    em,
    sql`select 1 from agent.messages m join agent.conversations c on c.id = m.conversation_id
         where m.id = ${messageId} and c.organization_id = ${organizationId} and c.visitor_id <> ${ERASED_VISITOR} for share of c`,
  );
  if (held.length === 0) throw fail('NOT_FOUND', 'Reply not found');
}

/** The conversation until a reply of the agent, or of its draft. */
async function findReply({ em, organizationId }: Scope, agentId: string, messageId: string): Promise<Found | undefined> {
  const [found] = await query(
    em,
    sql<Found>`
      select c.contact_id as "contactId", r.text, r.unanswered, r.rating, p.name, p.email, p.phone,
             (select coalesce(jsonb_object_agg(name, kind), '{}') from (
                select name, case when bool_or(data = 'personal' or requires_verified_visitor) then 'personal' else 'public' end as kind
                  from agent.tools where agent_id in (g.id, ${agentId}) and organization_id = ${organizationId} group by name) t) as tools,
             (select coalesce(array_agg(u.text order by u.position), '{}') from (
                select text, position from agent.messages where conversation_id = c.id and role = 'user' and position < r.position
                   and (r.replaced or not replaced) order by position desc limit ${MAX_MESSAGES}) u) as questions,
             (select coalesce(jsonb_agg(a.parts order by a.position), '[]') from (
                select parts, position from agent.messages where conversation_id = c.id and role = 'assistant' and position <= r.position
                   and (id = r.id or not replaced) order by position desc limit ${MAX_MESSAGES}) a) as parts
        from agent.messages r join agent.conversations c on c.id = r.conversation_id
        join agent.agents g on g.id = c.agent_id left join agent.contacts p on p.id = c.contact_id
       where r.id = ${messageId} and r.organization_id = ${organizationId} and r.role = 'assistant'
         and coalesce(g.draft_of, g.id) = ${agentId}`,
  );
  return found;
}

const originOf = ({ unanswered, rating }: Found): EnumValue<'TestCaseOrigin'> => {
  if (unanswered) return 'question';
  return rating === 'down' ? 'rating' : 'conversation';
};

/** A number with the word or sign after it. Dates, times and parts of addresses and names are none. */
const MEASURE =
  /(?<![\p{L}\d.,:@/_-])(\d{1,3}(?:([.,'’])\d{3})(?:\2\d{3})*(?:[.,]\d{1,6})?|\d{1,9}(?:[.,]\d{1,6})?)(?![\d@:/_-]|[.,'’]\d)[\s\u00a0]?(%|€|\$|£|[\p{L}µ°]{1,12})?/gu;

/**
 * The checks of a new case: the agent answers, in the language of the question, with the numbers of the expected answer, as far as they replace
 * nothing personal.
 */
function checksFor(question: string, expected: string | null, answer: string): NewTestCheck[] {
  const language = languageOf(expected ?? question);
  const said = new Set([...answer.matchAll(MEASURE)].map(([, number]) => number));
  const measures = [...(expected ?? '').matchAll(MEASURE)]
    .filter(([, number]) => said.has(number))
    .slice(0, MAX_CHECKS)
    .map(([, number, , unit]): NewTestCheck => {
      const value = numberOf(number!);
      if (value === null) return { kind: 'states', text: number };
      return { kind: 'states', number: value, unit: unit && language && isShortWord(unit, language) ? undefined : unit };
    });
  return [{ kind: 'answers' }, ...(language ? [{ kind: 'language' as const, text: language }] : []), ...measures];
}

/** The number that a text states; null if it is not certain, because its one mark before three digits may group thousands. */
function numberOf(written: string): number | null {
  const digits = written.replace(/['’]/g, '');
  const marks = digits.match(/[.,]/g) ?? [];
  if (marks.length === 1 && digits === written && /[.,]\d{3}$/.test(digits)) return null;
  const [first, last] = [marks[0], marks.at(-1)];
  const isGrouped = marks.length > 1 && first === last;
  const [whole, decimals] =
    isGrouped || !last ? [digits, ''] : [digits.slice(0, digits.lastIndexOf(last)), digits.split(last).at(-1)!];
  return Number(`${whole!.replace(/[.,]/g, '')}.${decimals}`);
}

/** The built-in tools whose results are about nobody. */
const IMPERSONAL = [SEARCH_TOOL, READ_TOOL, HANDOFF_TOOL];

/**
 * The results of the tools that were called, newest first, so that they answer before older ones. Of tools with personal data, and of those
 * that the agent has no longer, only the shape stays.
 */
function recordingsIn({ parts, tools }: Found): NewTestRecording[] {
  const isPersonal = (tool: string) => (Object.hasOwn(tools, tool) ? tools[tool] === 'personal' : !IMPERSONAL.includes(tool));
  const calls = parts
    .flat()
    .filter((part): part is ToolPart => part.type.startsWith('tool-'))
    .filter(({ state }) => state === 'output-available' || state === 'output-error');
  return calls
    .toReversed()
    .slice(0, MAX_RECORDINGS)
    .filter(({ output }) => (JSON.stringify(output) ?? '').length <= MAX_OUTPUT)
    .map(({ type, input, output, errorText }) => {
      const tool = type.slice('tool-'.length);
      const result = isPersonal(tool)
        ? { output: shapeOf(output ?? null), error: errorText ? 'The tool failed.' : null }
        : { output: output ?? null, error: errorText ? truncate(errorText, 2_000) : null };
      return { tool, arguments: isObject(input) && JSON.stringify(input).length <= 8_000 ? input : null, ...result };
    });
}

/** A value with the same keys that says nothing. A list has one entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
  return value === null ? null : PLACEHOLDERS[typeof value];
}

const PLACEHOLDERS: Readonly<Record<string, unknown>> = { string: 'text', number: 0, boolean: false };

/** The person of a conversation, whose data a test case must not contain. */
interface Person {
  name?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** From the beginning of a word, so that a long one takes linear time; also in the address of a page, and with the wide sign of East Asian keyboards. */
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,320}(?:[@＠]|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
/** Phone numbers with their marks, and runs of digits of cards and accounts. */
const LONG_NUMBER = /(?:\+|(?<![\p{L}\p{N}_]))\p{Nd}(?:[ ()/.-]{0,2}\p{Nd}){7,22}(?![\p{L}\p{N}_])/gu;
/** Dates and prices, which such digits can also be, and the hour of a time that follows a date. */
const HARMLESS = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,6}\.\d{2})$/;
const HOUR = /^\d{1,2}$/;

/**
 * Replaces personal data in the texts of one conversation: e-mail addresses, phone numbers, IBANs, numbers of eight digits and more, and
 * the name of a known person. Equal values have equal replacements, so that texts and tool results still fit each other.
 */
export function redactor(person: Person = {}): <T>(value: T) => T {
  const replaced = new Map<string, string>();
  const replacement = (found: string, make: (count: number) => string, key = found) => {
    const known = replaced.get(key);
    if (known !== undefined) return known;
    const made = make(replaced.size + 1);
    replaced.set(key, made);
    return made;
  };
  const names = namesOf(person.name);
  const redactText = (text: string) => {
    const marked = text
      .replace(EMAIL, (found) => replacement(found, (n) => `visitor-${n}@example.com`, found.toLowerCase()))
      .replace(IBAN, (found) =>
        replacement(found, (n) => `DE00 0000 0000 0000 00${String(n).padStart(2, '0')}`, found.replaceAll(' ', '')),
      )
      .replace(LONG_NUMBER, (found, at: number, whole: string) =>
        isHarmless(found, whole.slice(at + found.length))
          ? found
          : replacement(found, (n) => digitsLike(found, n), digitsOf(found)),
      );
    return names ? marked.replace(names, (found) => (found.includes(' ') ? 'Alex Example' : 'Alex')) : marked;
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (typeof value === 'number' && String(value).length >= 8 && Number.isInteger(value)) return Number(redactText(String(value)));
    if (Array.isArray(value)) return value.map(redact);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [redactText(key), redact(each)]))
      : value;
  };
  return <T>(value: T): T => redact(value) as T;
}

function isHarmless(found: string, rest: string): boolean {
  const parts = found.split(' ');
  const hasTime = parts.length > 1 && HOUR.test(parts.at(-1)!) && /^:\d/.test(rest);
  return (hasTime ? parts.slice(0, -1) : parts).every((part) => HARMLESS.test(part));
}

/** A number of the same form that belongs to nobody. */
function digitsLike(found: string, count: number): string {
  const made = `1${String(count).padStart(digitsOf(found).length - 1, '0')}`;
  let at = 0;
  return found.replace(/\p{Nd}/gu, () => made[at++]!);
}

const digitsOf = (text: string): string => text.replace(/\P{Nd}/gu, '');

/** The whole name and its longer parts, as words. */
function namesOf(name: string | null | undefined): RegExp | undefined {
  const whole = name?.trim();
  if (!whole) return undefined;
  const parts = [whole, ...whole.split(/\s+/).filter((part) => part.length > 2)];
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}
