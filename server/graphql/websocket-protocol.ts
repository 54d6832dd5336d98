import type { Answer, Gateway, RequestContext } from 'compiled-gateway';
import { EventStream } from 'compiled-gateway/event-stream';
import { type Outcome, partsOf, textOf } from 'compiled-gateway/graphql-over-http';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import { codeOf, fail } from '../../schema/errors.ts';
import { AnswerBudget } from '../../schema/limits.ts';
import type { Admit } from '../../schema/request.ts';
import { networkOf } from '../../schema/request.ts';
import { namedClient, ownerOf, readCredentials, throwRefusal } from '../request-admission.ts';
import type { ReadSession } from '../sign-in/cookies.ts';
import {
  type Accept,
  type Accepted,
  chargeOperation,
  type Execution,
  type ExecutionRequest,
  REQUIREMENT,
  refusalOf,
  toExecutionResult,
} from './accepted-operation.ts';
import type { Allowance } from './allowance.ts';
import { type Connection, closeCode, closeSocket } from './connection.ts';
import type { ReadDocument } from './documents.ts';
import { errorsOf, graphQLError, present, presenterOf } from './graphql-response.ts';

export interface ProtocolOptions {
  gateway: Gateway;
  execution: Execution;
  read: ReadDocument;
  accept: Accept;
  admit?: Admit;
  /** Limits new documents of callers without a key. */
  allowance?: Allowance;
  /** Names of headers to forward in addition to the credentials. */
  forward?: readonly string[];
  /** Reads the session of the dashboard from the handshake. */
  readSession?: ReadSession;
  /** Timeout of a query, a mutation, or the start of a subscription, in milliseconds. */
  timeout: number;
  /** Maximum cost of an operation. */
  costLimit: number;
  /** Maximum concurrent operations per connection. */
  maxOperations: number;
  /** Maximum bytes of a response or event, and of the rows read for it. */
  answerLimit: number;
}

/** A running operation; the hooks pass it to each other as context value. */
interface Running {
  /** The id that the client chose. */
  id: string;
  /** The number that graphql-ws knows it by. */
  number: string;
  connection: Connection;
  accepted: Accepted;
  request: ExecutionRequest;
}

/** For the log line of an operation. */
interface Opened {
  organizationId?: string;
  operation: string;
  startedAt: number;
}

/** A `next` message of a payload that is already JSON text. */
const nextMessage = ({ id }: Running, payload: string): string => `{"id":${JSON.stringify(id)},"type":"next","payload":${payload}}`;

/** Sends the data of events, which is already JSON text. */
const eventWriter = (running: Running) => (data: string) => running.connection.send(nextMessage(running, `{"data":${data}}`));

/** Send the response of a query or mutation, unless the client has completed it. It waits for a slow client, so none repeats a mutation. */
async function deliver(running: Running, outcome: Outcome): Promise<typeof nothing> {
  const { connection, number } = running;
  if (outcome.deferred) {
    for await (const part of partsOf(outcome, 'deferSpec=20220824', presenterOf(connection.log))) {
      if (!connection.operations.awaited(number)) break;
      await connection.deliver(nextMessage(running, part));
    }
    return nothing;
  }
  if (connection.operations.awaited(number))
    await connection.deliver(nextMessage(running, textOf(outcome, presenterOf(connection.log))));
  return nothing;
}

/** Create the handlers of the graphql-ws protocol. */
export function protocol(
  options: ProtocolOptions,
  streams: OpenStreams,
  closing: AbortSignal,
): ServerOptions<Record<string, unknown>, Connection> {
  const { gateway, execution, admit, allowance, forward, maxOperations, answerLimit, costLimit } = options;
  const opened = new WeakMap<SubscribePayload, Opened>();

  /** Admit and validate an operation. Throws the refusal. */
  async function accept(connection: Connection, number: string, payload: SubscribePayload): Promise<ExecutionArgs> {
    const { id, lifetime } = connection.operations.get(number)!;
    if (closing.aborted) throw fail('UNAVAILABLE', 'The server is restarting. Try again shortly.');
    if (connection.operations.size > maxOperations) {
      throw fail('RATE_LIMITED', `A connection may run ${maxOperations} operations at a time`);
    }
    // A client that connected without a key, such as GraphiQL, may send it with the operation.
    const headers = { ...connection.headers, ...readCredentials(payload.extensions?.headers, forward) };
    const caller: RequestContext = { headers, signal: lifetime.signal, budget: new AnswerBudget(answerLimit) };
    // Visitors have no key. The resolvers of all other fields require one.
    const startedAt = performance.now();
    const admission = await admit?.(caller, REQUIREMENT);
    throwRefusal(admission?.refusal);
    if (admission) caller.owner = ownerOf(admission);
    caller.client = namedClient(connection.clientHeaders, admission);
    // The client may have completed the operation.
    lifetime.signal.throwIfAborted();

    const { operationName, variables } = payload;
    const meter = allowance?.meterOf(caller);
    const document = options.read(payload, meter);
    const accepted = options.accept(document, operationName);
    throwRefusal(await refusalOf(admit, caller, accepted, admission?.organizationId));
    throwRefusal((await chargeOperation({ admit, limit: costLimit }, caller, accepted, variables))?.refusal);
    opened.set(payload, { organizationId: admission?.organizationId ?? undefined, operation: accepted.title, startedAt });
    const request = { variables, context: caller, lifetime, meter, wantsCost: payload.extensions?.cost === true, inParts: true };
    const contextValue: Running = { id, number, connection, accepted, request };
    return { schema: gateway.schema, document, operationName, contextValue };
  }

  return {
    connectionInitWaitTimeout: 10_000,

    async onConnect({ connectionParams, extra: connection }) {
      try {
        connection.headers = { ...connection.headers, ...readCredentials(connectionParams, forward) };
        connection.clientHeaders = { ...connection.clientHeaders, ...connectionParams };
        const admission = await admit?.({ headers: connection.headers }, REQUIREMENT);
        throwRefusal(admission?.refusal);
        return true;
      } catch (error) {
        const { message, extensions } = present(graphQLError(error), connection.log);
        closeSocket(connection.socket, closeCode(codeOf({ extensions })), message);
        return false;
      }
    },

    async onSubscribe({ extra: connection }, number, payload) {
      try {
        return await accept(connection, number, payload);
      } catch (error) {
        return errorsOf(error);
      }
    },

    execute({ contextValue }) {
      const running = contextValue as Running;
      const { connection, accepted, request } = running;
      const answer = execution.answer(accepted, request).then((outcome) => deliver(running, outcome));
      const settle = () => request.lifetime.settled();
      const work = answer.then(settle, settle).finally(() => connection.executing.delete(work));
      connection.executing.add(work);
      return answer;
    },

    async subscribe({ contextValue }) {
      const running = contextValue as Running;
      const { accepted, request } = running;
      const { owner, headers } = request.context;
      const release = streams.open(owner || `network:${networkOf(headers['x-client-address'])}`);
      if (!release) return { errors: [fail('RATE_LIMITED', 'Too many subscriptions are open. End some, or try again later.')] };
      const events = await execution.subscribe(accepted, request);
      if (Symbol.asyncIterator in events) return streamResults(events, eventWriter(running), release);
      release();
      return events;
    },

    onNext: ({ extra: { log } }, _id, _payload, _args, { errors, ...result }) => ({
      ...result,
      ...(errors && { errors: errors.map((each) => present(each, log)) }),
    }),

    onError: ({ extra: { log } }, _id, _payload, errors) => errors.map((each) => present(each, log)),

    onComplete({ extra: { log } }, _id, payload) {
      const { startedAt, ...of } = opened.get(payload) ?? {};
      if (startedAt !== undefined)
        log.info({ ...of, responseTime: performance.now() - startedAt }, 'WebSocket operation completed');
      opened.delete(payload);
    },
  };
}

/**
 * Adapt a stream of answers for graphql-ws. Answers without errors are JSON text and go directly to `write`, because graphql-ws
 * would need objects and serialize them again.
 * @param closed called once when the stream ends for any reason
 */
function streamResults(
  answers: AsyncIterable<Answer>,
  write: (data: string) => void,
  closed: () => void,
): EventStream<ExecutionResult> {
  const iterator = answers[Symbol.asyncIterator]();
  let open = true;
  const pull = async (): Promise<ExecutionResult | undefined> => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || !open) return undefined;
      if (value.errors || value.data === undefined) return toExecutionResult(value);
      write(value.data);
    }
  };
  return new EventStream(pull, () => {
    open = false;
    closed();
    return iterator.return?.();
  });
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results that graphql-ws sends for a query or mutation, whose response is sent already. */
const nothing: AsyncIterableIterator<ExecutionResult, undefined> = {
  [Symbol.asyncIterator]() {
    return this;
  },
  next: async () => over,
  return: async () => over,
};

/** Counts the open subscriptions of this process by owner. An owner holds at most as many as it leaves free. */
export class OpenStreams {
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param most open subscriptions of all owners */
  constructor(private readonly most: number) {}

  /** Count a subscription. Returns the function that releases it, or undefined when the owner may open no more. */
  open(owner: string): (() => void) | undefined {
    if (this.#of(owner) >= this.most - this.#total) return undefined;
    this.#add(owner, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#add(owner, -1);
      isOpen = false;
    };
  }

  #of(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #add(owner: string, count: number): void {
    const held = this.#of(owner) + count;
    this.#total += count;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
