import { createHmac } from 'node:crypto';
import { clock, query, readRows, sql } from '../../../platform/database/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { isObject } from '../../../schema/json.ts';
import { storable, truncate } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import { requestApproval, TOO_MANY } from '../approvals/requests.ts';
import type { McpServer } from '../mcp-servers/entity.ts';
import { hasTooManyCalls, recordEnd, recordStart } from '../tool-calls/service.ts';
import type { Identity } from '../visitors/entity.ts';
import { openSigningSecrets } from '../visitors/signing-secrets.ts';
import { prepareCall, templateVisitor } from './call-request.ts';
import { type SendHeaders, Tool, type ToolAnswer, type ToolRequest } from './entity.ts';
import { approvalOf, carriesAway, effectOf } from './policy.ts';
import { type Place, render, type Values } from './templates.ts';

/** Something that an answer may cite. */
export interface Citable {
  /** Unique in the reply. */
  id: string;
  /** The document that contains the source. Several sources of one document, or of one URL, are shown once. */
  documentId: string;
  /** The page of the source; null if it is a document without an address. */
  url: string | null;
  title: string;
  /** The page of a PDF. */
  page?: number | null;
  /** The text that supports an answer. */
  text: string;
  /** The title and the headings above the text, which the model reads with it. */
  context?: string;
  /** Whether it reads like instructions to the agent. */
  suspicious?: boolean;
}

/** The context of a call. */
export interface Calling {
  conversationId: string;
  /** The reply, and the id of the call in its stream. */
  messageId: string;
  toolCallId: string;
  signal?: AbortSignal;
  /** Number a source that the output contains. Returns null if the reply has too many. */
  cite(source: Citable): number | null;
}

/** A tool as the model of an agent calls it. */
export interface CallableTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  data?: Tool['data'];
  /**
   * Call the tool and write its audit record. A failure of the receiver, or parameters that do not fit, are the result `error`, whose
   * text the model and the visitor may see. Secrets are masked in both results. A call that needs an approval is not sent, and returns the
   * id of the request for it.
   */
  call(input: unknown, by: Calling): Promise<ToolAnswer | { approvalId: string }>;
}

export const MAX_TOOLS = 100;

/** For whom tools are called. */
export interface ToolUser {
  agent: Pick<Agent, 'id' | 'requireApprovals'>;
  identity: Identity | null;
  /** Show the requests of tools that write instead of sending them. */
  preview?: boolean;
  /** Receives the hosts whose personal data comes into the conversation. */
  personalHosts?: Set<string>;
}

/** The enabled tools of an agent, sorted by name. They stay usable after the request of the scope has ended. */
export async function callableTools(scope: Scope, user: ToolUser): Promise<CallableTool[]> {
  const rows = await readRows(
    scope,
    Tool,
    { where: { agentId: user.agent.id, enabled: true }, orderBy: { name: 'asc' } },
    { limit: MAX_TOOLS, offset: 0 },
  );
  const own = detached(scope);
  const isGuarded = user.agent.requireApprovals || rows.some(({ data }) => data === 'personal');
  return rows.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: { type: 'object', ...tool.inputSchema },
    data: tool.data,
    call: (input, by) => callTool(own, tool, input, by, { ...user, isGuarded }),
  }));
}

/** How a call was answered that is never sent. */
type Rehearsed = (ToolAnswer & { answer: 'recording' | 'dry_run' | 'refused' }) | { answer: 'approval' };

/**
 * The answer to a call of a tool that is never sent, and leaves no record: it passes the checks of a real call, asks for the same approvals,
 * and then returns a recorded answer, or the request itself.
 */
export async function rehearseCall(
  scope: Scope,
  tool: Tool,
  input: unknown,
  { agent, identity, personalHosts = new Set() }: ToolUser,
  { recorded, server }: { recorded?: ToolAnswer; server?: McpServer },
): Promise<Rehearsed> {
  const prepared = await prepareCall(scope, tool, input, identity, server).catch((err: unknown) => {
    log.error({ err, tool: tool.id }, 'Failed to rehearse a call');
    return { error: 'The tool could not be called.' };
  });
  if ('error' in prepared) return { answer: 'refused', ...prepared };
  const { host, request } = prepared;
  if (askOf(tool, agent, carriesAway({ personalHosts: [...personalHosts] }, host, tool))) return { answer: 'approval' };
  if (tool.data === 'personal') personalHosts.add(host);
  if (recorded) return { answer: 'recording', ...recorded };
  return { answer: 'dry_run', output: { preview: true, sent: false, request } };
}

async function callTool(
  scope: Scope,
  tool: Tool,
  input: unknown,
  { conversationId, messageId, toolCallId, signal }: Calling,
  { agent, identity, preview = false, personalHosts, isGuarded }: ToolUser & { isGuarded: boolean },
): Promise<ToolAnswer | { approvalId: string }> {
  const started = performance.now();
  const failed = (err: unknown) => {
    log.error({ err, tool: tool.id }, 'Failed to call a tool');
    return { error: 'The tool could not be called.' };
  };
  try {
    const isShown = preview && effectOf(tool) === 'write';
    const prepared = await prepareCall(scope, tool, input, identity ?? (isShown ? 'names' : null)).catch(failed);
    if ('request' in prepared) {
      if (isShown) return { output: { preview: true, sent: false, request: prepared.request } };
      const [isFull, hosts] = isGuarded
        ? await Promise.all([hasTooManyCalls(scope, conversationId), personalHostsOf(scope, conversationId)])
        : [false, []];
      if (isFull) return { error: 'Too many calls of tools. Tell the user to try again in an hour.' };
      const isAway = carriesAway({ personalHosts: hosts }, prepared.host, tool);
      const asked = askOf(tool, agent, isAway);
      if (asked) {
        const params = input as Record<string, unknown>;
        const { request } = prepared;
        const text = confirmationOf(tool, { params, request, visitor: templateVisitor(identity), carriesAway: isAway });
        const call = { tool, prepared, input: params, identity, text, preview, conversationId, messageId, toolCallId };
        const approvalId = await requestApproval(scope, { ...call, ...asked });
        return approvalId === null ? { error: TOO_MANY } : { approvalId };
      }
    }
    // Without its record, a call is not sent.
    const id = await recordStart(scope, tool, conversationId, 'request' in prepared ? prepared.request : null);
    const addressed = { agentId: agent.id, subject: identity?.subject ?? null, conversationId, approvalId: null };
    const sent =
      'error' in prepared
        ? { response: null, result: null, ...prepared }
        : await prepared
            .send(signal, await receiverHeaders(scope, addressed))
            .catch((err: unknown) => ({ response: null, result: null, ...failed(err) }));
    const { response, result, error } = sent;
    // Before the model sees the result.
    if (tool.data === 'personal' && response && 'host' in prepared) {
      personalHosts?.add(prepared.host);
      await markPersonal(scope, conversationId, prepared.host);
    }
    const durationMs = Math.round(performance.now() - started);
    // The sweep fails a record that has no end.
    await recordEnd(scope, id, { responseStatus: response?.status ?? null, error, durationMs }).catch(failed);
    return error === null ? { output: result } : { error };
  } catch (error) {
    return failed(error);
  }
}

/** The party that must approve a call, and the reason; undefined without one. */
function askOf(tool: Tool, agent: ToolUser['agent'], isAway: boolean) {
  const approval = approvalOf(tool, agent);
  if (approval !== 'none') return { party: approval, reason: 'effect' as const };
  return isAway ? { party: 'visitor' as const, reason: 'personal' as const } : undefined;
}

/** Characters of one value, and of the whole question. */
const [MAX_VALUE, MAX_TEXT] = [500, 4_000];

/** Characters that change how other text looks, or that nobody sees. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** A value as a person reads it: on one line and in quotes, so that no value reads as a part of the question. */
function quoted(value: unknown): string {
  if (value === undefined || value === null) return '“”';
  const text = storable(typeof value === 'object' ? JSON.stringify(value) : String(value));
  const plain = text
    .replace(INVISIBLE, ' ')
    .replace(/[“”„‟"«»]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
  const shown = truncate(plain, MAX_VALUE);
  return shown === plain ? `“${plain}”` : `“${shown}…” (and ${plain.length - shown.length} more characters)`;
}

const inQuestion: Place = { escape: quoted };

interface Call {
  /** The arguments, by names that the model may have invented. */
  params: Record<string, unknown>;
  request: ToolRequest;
  visitor: Values['visitor'];
  /** Whether the call could carry personal data to another host. The question then names the host. */
  carriesAway: boolean;
}

/** The question to the approving person. It comes from the owner and the arguments, and never from the words of the model. */
function confirmationOf(tool: Pick<Tool, 'name' | 'confirmation' | 'inputSchema'>, call: Call): string {
  const { params, visitor, carriesAway } = call;
  const { confirmation } = tool;
  const asked = confirmation && render(confirmation, { params, secrets: new Map(), visitor }, inQuestion).text;
  // The host comes first, so that no long value moves it out of the question.
  const text = asked && !carriesAway ? asked : [described(tool, call), asked].filter(Boolean).join('\n');
  const shown = truncate(text, MAX_TEXT);
  return shown === text ? text : `${shown}…\n(${text.length - shown.length} more characters are not shown)`;
}

/** The tool, its host and its arguments. Only declared arguments have names. */
function described({ name, inputSchema: { properties } }: Pick<Tool, 'name' | 'inputSchema'>, { params, request }: Call): string {
  const declared = isObject(properties) ? Object.keys(properties) : [];
  const named = Object.keys(params).filter((key) => declared.includes(key));
  const others = Object.fromEntries(Object.entries(params).filter(([key]) => !declared.includes(key)));
  return [
    `${name} (${request.method} ${URL.parse(request.url)?.host ?? ''})`,
    ...named.map((key) => `${nameOf(key)}: ${quoted(params[key])}`),
    ...(Object.keys(others).length > 0 ? [`Further values: ${quoted(others)}`] : []),
  ].join('\n');
}

const nameOf = (key: string): string =>
  truncate(
    key
      .replace(INVISIBLE, ' ')
      .replace(/[“”:\s]+/g, ' ')
      .trim(),
    64,
  );

interface CallOrigin {
  agentId: string;
  /** The verified visitor. */
  subject: string | null;
  conversationId: string;
  approvalId: string | null;
}

/** The headers that tell a receiver for whom a request is, so that it can decide, too. */
export async function receiverHeaders(
  scope: Scope,
  { agentId, subject, conversationId, approvalId }: CallOrigin,
): Promise<SendHeaders> {
  const secrets = await openSigningSecrets(scope, agentId, 'requests');
  const [visitor, approval] = [subject ?? 'none', approvalId ?? 'none'];
  return ({ method, url, body }) => {
    const timestamp = Math.floor(clock.ms() / 1_000);
    const text = [timestamp, method, url, visitor, conversationId, approval, body].join('\n');
    const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`);
    return {
      'x-svc-visitor': visitor,
      'x-svc-conversation': conversationId,
      'x-svc-approval': approval,
      ...(signatures.length > 0 && { 'x-svc-signature': [`t=${timestamp}`, ...signatures].join(',') }),
      ...(approvalId && { 'idempotency-key': approvalId }),
    };
  };
}

/** The hosts whose personal data is in a conversation. */
async function personalHostsOf({ em, organizationId }: Scope, conversationId: string): Promise<string[]> {
  const [found] = await query(
    em,
    sql<{ hosts: string[] }>`select personal_hosts as hosts from agent.conversations
                              where id = ${conversationId} and organization_id = ${organizationId}`,
  );
  return found?.hosts ?? [];
}

/** Remember that personal data of a host is in a conversation. */
export async function markPersonal({ em, organizationId }: Scope, conversationId: string, host: string): Promise<void> {
  await query(
    em,
    sql`update agent.conversations set personal_hosts = array_append(personal_hosts, ${host})
         where id = ${conversationId} and organization_id = ${organizationId} and not (${host} = any(personal_hosts))`,
  );
}
