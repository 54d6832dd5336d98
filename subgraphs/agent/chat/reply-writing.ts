import { readRows } from '../../../platform/database/index.ts';
import { inChat, ProviderFault, ProviderRefusal } from '../../../platform/model/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log, withLogFields } from '../../../platform/telemetry/index.ts';
import type { Agent } from '../agents/entity.ts';
import { Approval } from '../approvals/entity.ts';
import { resultsOf } from '../approvals/execution.ts';
import type { Reopened } from '../approvals/requests.ts';
import { ASKED_CALLS, type AskedCall } from '../approvals/requests.ts';
import { catalogTools } from '../catalog/catalog-tools.ts';
import { Conversation } from '../conversations/entity.ts';
import { handoffTool } from '../handoff/handoff-tool.ts';
import { type Passage, type QuestionVector, retrieve } from '../retrieval/retrieve.ts';
import { ticketTool } from '../tickets/ticket-tool.ts';
import { type CallableTool, callableTools, type ToolUser } from '../tools/callable.ts';
import type { Tool } from '../tools/entity.ts';
import { currentVersion, readLiveVersion } from '../versions/service.ts';
import type { BegunReply } from './begin.ts';
import { type Conversed, messagesOf, promptOf, readHistory } from './chat-prompt.ts';
import { finishReply } from './finish.ts';
import { type GenerationInput, generate } from './generate.ts';
import { linksOf } from './link-filter.ts';
import { readAllChunks, toParts } from './reply-store.ts';
import { type Reply, ReplyAborted, type ReplyOutcome, repliesOf } from './running-replies.ts';
import { findChatAgent, type Sender } from './sender.ts';
import { summarize } from './summary.ts';
import { PAGE_CONTEXT_OF, type PageContext } from './types.ts';

/** The whole reply of an agent without credits. */
export const UNAVAILABLE_TEXT = 'This assistant is currently unavailable. Please try again later.';

interface Writer extends Pick<Sender, 'agent' | 'channel' | 'identity'> {
  /** Show the requests of tools that write instead of sending them. */
  preview?: boolean;
}

/**
 * Continue a reply whose calls are decided: send the approved ones, and let the model answer. Returns the number of parts that the reply
 * had before.
 */
export async function continueReply(services: Services, reopened: Reopened, agent: Writer['agent']): Promise<number> {
  const { id, organizationId, channel } = reopened;
  const scope = detached({ services, organizationId });
  const [chunks, [approval]] = await Promise.all([
    readAllChunks(services.pool, id),
    readRows(scope, Approval, { where: { messageId: id }, orderBy: { createdAt: 'desc' } }, { limit: 1, offset: 0 }),
  ]);
  const replies = repliesOf(services);
  const reply = replies.add(reopened);
  reply.continueFrom(chunks);
  reply.push({ type: 'start', messageId: id });
  const writer = { agent, channel, identity: approval?.identity ?? null, preview: approval?.preview };
  runReply(services, reply, writer, async () => {
    await pushResults(scope, reply);
    return writeReply(services, reply, writer, undefined);
  });
  return chunks.length;
}

/** Add the results of the decided calls. */
async function pushResults(scope: Scope, reply: Reply): Promise<void> {
  for (const [toolCallId, result] of await resultsOf(scope, reply.ref.id)) {
    const isOpen = toParts(reply.chunks).some(
      (part) => 'toolCallId' in part && part.toolCallId === toolCallId && part.state === 'approval-requested',
    );
    if (!isOpen) continue;
    if (result === 'refused') reply.push({ type: 'tool-output-denied', toolCallId });
    else if ('error' in result) reply.push({ type: 'tool-output-error', toolCallId, errorText: result.error });
    else reply.push({ type: 'tool-output-available', toolCallId, output: result.output });
  }
}

/** Start to write a reply in this process. It continues when its reader disconnects. */
export function startReply(services: Services, begun: BegunReply & { lease: string }, sender: Writer, asked: FirstMessage): void {
  const reply = repliesOf(services).add(begun);
  reply.push({ type: 'start', messageId: begun.id });
  const write = () =>
    begun.paid ? writeReply(services, reply, sender, begun.isFirst ? asked : undefined) : writeUnavailable(reply);
  runReply(services, reply, sender, write, begun.paid && !begun.isFirst);
}

function runReply(
  services: Services,
  reply: Reply,
  sender: Writer,
  write: () => Promise<ReplyOutcome>,
  mayNeedSummary = true,
): void {
  const replies = repliesOf(services);
  services.background.start('Reply', async (shutdown) => {
    const abort = () => reply.abort('shutdown');
    shutdown.addEventListener('abort', abort, { once: true });
    try {
      const { organizationId, agentId, conversationId } = reply.ref;
      const fields = { organizationId, agentId, conversationId };
      const outcome = await withLogFields(fields, () => inChat(organizationId, write)).catch((error: unknown) =>
        outcomeOf(error, reply),
      );
      await finishReply(services, reply, { ...outcome, version: reply.version, ...reply.measured() });
      replies.remove(reply);
      if (mayNeedSummary && outcome.status === 'complete') await summarize(services, reply.ref, sender, shutdown);
    } finally {
      shutdown.removeEventListener('abort', abort);
      replies.remove(reply);
    }
  });
}

interface FirstMessage {
  text: string;
  pageContext?: PageContext | null;
}

/** @param first the first message of the conversation, which needs no history */
async function writeReply(
  services: Services,
  reply: Reply,
  { agent: given, channel, identity, preview }: Writer,
  first: FirstMessage | undefined,
): Promise<ReplyOutcome> {
  const { conversationId, organizationId } = reply.ref;
  const scope = { ...detached({ services, organizationId }), signal: reply.signal };
  const { summary, messages, asked, hosts, pageContext } = first
    ? {
        summary: null,
        messages: [{ role: 'user' as const, text: first.text }],
        asked: [],
        hosts: [],
        pageContext: first.pageContext,
      }
    : await readContext(scope, conversationId);
  if (!services.model) throw new Error('The process has no model provider');
  const question = messages.at(-1)?.text ?? '';
  const personalHosts = new Set(hosts);
  const asVersion = readVersion(scope, given, { identity, preview, personalHosts });
  const [passages, { agent, tools, version }, isLinkAllowed] = await Promise.all([
    given.hasPassages ? findPassages(scope, given, question, reply) : [],
    asVersion,
    asVersion.then((read) =>
      hasLinkRules(read.agent, read.tools, personalHosts) ? linksOf(scope, read.agent, personalHosts) : undefined,
    ),
  ]);
  reply.version = version;
  const catalog = agent.catalogAccess && services.graph ? catalogTools(services.graph, agent) : [];
  return answer(reply, {
    model: services.model,
    agent,
    passages,
    tools,
    builtIn: [...catalog, ...(agent.hasHelpdesk ? helpdeskTools(scope, agent, channel, version) : [])],
    conversed: { summary, messages, asked: tools.length > 0 ? asked : [], pageContext },
    channel,
    isLinkAllowed,
  });
}

/** Whether the links of a reply have rules: with required approvals, and where personal data could be in them. */
export const hasLinkRules = (
  { requireApprovals }: Pick<Agent, 'requireApprovals'>,
  tools: readonly { data?: Tool['data'] }[],
  personalHosts: ReadonlySet<string>,
): boolean => requireApprovals || personalHosts.size > 0 || tools.some(({ data }) => data === 'personal');

/** All that a reply is made of. */
export interface Answering extends Pick<GenerationInput, 'model' | 'agent' | 'passages' | 'tools' | 'isLinkAllowed'> {
  /** A tool of the owner with the same name replaces a built-in one. */
  builtIn: readonly CallableTool[];
  conversed: Conversed;
  channel: Writer['channel'];
}

/** Let the model write a reply, or continue one after an approval. */
export function answer(reply: Reply, { tools, builtIn, conversed, channel, ...input }: Answering): Promise<ReplyOutcome> {
  // The steps of a reply that continues after an approval.
  const parts = toParts(reply.chunks);
  const { agent, passages } = input;
  return generate(reply, {
    ...input,
    tools: [...tools, ...builtIn.filter(({ name }) => tools.every((own) => own.name !== name))],
    messages: [
      ...promptOf(agent, conversed, passages, { builtInTools: builtIn.map(({ name }) => name), channel }),
      ...messagesOf(parts),
    ],
    steps: parts.filter(({ type }) => type === 'step-start').length,
  });
}

/** Attempts to read an agent that is changed meanwhile. */
const MAX_READS = 3;

/** The agent and its tools of one version, and its number; null for a draft, and for an agent that is changed all the time. */
async function readVersion(
  scope: Scope,
  given: Writer['agent'],
  user: Omit<ToolUser, 'agent'>,
): Promise<{ agent: Writer['agent']; tools: CallableTool[]; version: number | null }> {
  let agent = given;
  for (let read = 1; ; read += 1) {
    // One statement has read all of them.
    if (!agent.hasTools && agent.draftOf) return { agent, tools: [], version: null };
    if (!agent.hasTools && agent.liveVersion != null) return { agent, tools: [], version: agent.liveVersion };
    const tools = await callableTools(scope, { ...user, agent });
    if (agent.draftOf || read === MAX_READS) return { agent, tools, version: null };
    // Last: if the number is still the same, the agent and its tools belong to one version.
    const number = await readLiveVersion(scope, agent.id);
    if (number === undefined || (number !== null && number === agent.liveVersion)) return { agent, tools, version: number ?? null };
    await currentVersion(scope, agent.id);
    agent = await findChatAgent(scope, agent.id);
  }
}

/** People take over conversations with visitors only. */
export const helpdeskTools = (
  scope: Scope,
  agent: Agent,
  channel: Writer['channel'],
  version: number | null = null,
): CallableTool[] => [...(channel === 'widget' ? [handoffTool(scope, version)] : []), ticketTool(scope, agent)];

async function readContext(scope: Scope, conversationId: string) {
  const columns = ['summary', 'summarizedTo', 'personalHosts'] as const;
  const joined = { asked: ASKED_CALLS, pageContext: PAGE_CONTEXT_OF };
  const [found] = await readRows(scope, Conversation, { columns, joined, where: { id: conversationId } });
  if (!found) throw new ReplyAborted('lost');
  const {
    summarizedTo,
    personalHosts: hosts,
    ...read
  } = found as Conversation & { asked: AskedCall[]; pageContext: PageContext | null };
  const { summary, asked, pageContext } = read;
  return { summary, messages: await readHistory(scope, conversationId, summarizedTo), asked, hosts, pageContext };
}

/** The passages that may answer a question, within the limit of the agent. */
export async function findPassages(
  scope: Scope,
  { id, draftOf, maxRetrievalTokens }: Agent,
  question: string,
  reply: Reply,
): Promise<Passage[]> {
  if (maxRetrievalTokens === 0) return [];
  const onVector = (vector: QuestionVector) => {
    reply.question = vector;
  };
  return retrieve(scope, draftOf ?? id, question, { maxTokens: maxRetrievalTokens, signal: scope.signal, onVector });
}

async function writeUnavailable(reply: Reply): Promise<ReplyOutcome> {
  const id = 'text-1';
  reply.push(
    { type: 'start-step' },
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: UNAVAILABLE_TEXT },
    { type: 'text-end', id },
    { type: 'finish-step' },
  );
  return { status: 'complete' };
}

function outcomeOf(error: unknown, { signal, ref }: Reply): ReplyOutcome {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof ReplyAborted) {
    if (cause.reason === 'stopped') return { status: 'stopped' };
    if (cause.reason === 'unstorable') return { status: 'failed', error: 'Internal error' };
    return { status: 'failed', error: 'The process was stopped while it wrote the reply.' };
  }
  if (cause instanceof ProviderFault) return { status: 'failed', error: `The model provider could not answer: ${cause.message}.` };
  if (cause instanceof ProviderRefusal) return { status: 'failed', error: cause.message };
  log.error({ err: cause, replyId: ref.id }, 'Failed to write a reply');
  return { status: 'failed', error: 'Internal error' };
}
