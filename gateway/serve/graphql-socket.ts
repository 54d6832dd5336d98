import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { handleProtocols } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { mapStream } from '../event-stream.ts';
import type { Outcome } from '../graphql-over-http.ts';
import type { Answer } from '../source-contract.ts';
import { type FrontOptions, headersOf, withHooks } from './graphql-route.ts';
import { clientIn, type Identify, ResponseBudget } from './identified-caller.ts';
import { checkCost, errorsOf, isSubscription, type KnownOperation, present, refusal } from './operations.ts';
import type { CallerContext } from './plugin.ts';
import type { Tokens } from './token-verification.ts';

interface Prepared {
  readonly operation: KnownOperation;
  readonly context: CallerContext;
}

interface SocketOptions extends FrontOptions {
  /** The API schema now. */
  schema(): GraphQLSchema;
  addressOf(request: IncomingMessage): string;
  /** Counts an operation of a client. Throws `RATE_LIMITED`. */
  countRequest(identified: Awaited<ReturnType<Identify>>): Promise<void>;
  tokens: Tokens | undefined;
  log: FastifyBaseLogger;
}

/** An accepted connection. */
interface Connection extends Record<PropertyKey, unknown> {
  caller?: Awaited<ReturnType<Identify>>;
  /** Ids of the operations that run. */
  open?: Set<string>;
  /** Aborts when the client has left. */
  left?: AbortController;
}

/** Operations that one connection may run at a time, and bytes that may wait for a client that reads slowly. */
const MAX_OPERATIONS = 100;
const MAX_BUFFERED = 4 * 1024 * 1024;

/** Serve operations over WebSocket by graphql-ws. Returns a function that closes all connections. */
export function graphqlSocket(server: Server, options: SocketOptions): () => Promise<void> {
  const { configuration, find, identify, plugins, log } = options;
  const { path, timeoutSeconds, responseBytes, corsOrigins } = configuration.server;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: configuration.server.bodyBytes, handleProtocols });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { origin, host } = request.headers;
    const isOwn = origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin) || hostOf(origin) === host;
    const status = pathOf(request) !== path ? '404 Not Found' : isOwn ? undefined : '403 Forbidden';
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
  });

  const tokenHeader = configuration.jwt?.header ?? 'authorization';
  const failed = (error: unknown): ExecutionResult => revived({ errors: errorsOf(error, log) });

  const handle = useServer<Record<string, unknown>, Connection>(
    {
      connectionInitWaitTimeout: 10_000,
      async onConnect({ connectionParams = {}, extra }) {
        const token = Object.entries(connectionParams).find(([name]) => name.toLowerCase() === tokenHeader)?.[1];
        try {
          // Browsers cannot send it as a header. A proxy in front may have set any other header.
          const headers = { ...(isHeaderText(token) && { [tokenHeader]: token }), ...headersOf(extra.request) };
          const identified = await identify(headers, options.addressOf(extra.request));
          extra.caller = { ...identified, client: clientIn(connectionParams) ?? identified.client };
          extra.open = new Set();
          extra.left = new AbortController();
          extra.socket.once('close', () => extra.left!.abort(new DOMException('The caller has left', 'AbortError')));
          endAtExpiry(extra);
          return true;
        } catch (error) {
          const [first] = errorsOf(error, log);
          extra.socket.close(first?.extensions?.code === 'UNAUTHENTICATED' ? 4401 : 4403, first!.message.slice(0, 120));
          return false;
        }
      },
      async onSubscribe({ extra }, id, { query, operationName, variables, extensions }) {
        try {
          const caller = extra.caller!;
          await options.countRequest(caller);
          // A signature is valid for a shorter time than a connection.
          const signed = (await options.tokens?.signed(caller.caller.claims)) ?? {};
          // Nothing may wait between this and the addition, because one packet can have many messages.
          const open = extra.open!;
          if (open.size >= MAX_OPERATIONS)
            throw refusal('RATE_LIMITED', `A connection may run ${MAX_OPERATIONS} operations at a time`);
          const operation = find({ query, operationName: operationName ?? undefined, extensions: extensions ?? undefined });
          checkCost(operation, variables ?? {}, configuration.limits.cost);
          open.add(id);
          const left = extra.left!.signal;
          const signal = isSubscription(operation) ? left : AbortSignal.any([left, AbortSignal.timeout(timeoutSeconds * 1_000)]);
          const context: CallerContext = { ...caller, signed, signal, budget: new ResponseBudget(responseBytes) };
          const contextValue: Prepared = { operation, context };
          return { schema: options.schema(), document: operation.document, operationName, variableValues: variables, contextValue };
        } catch (error) {
          return failed(error).errors;
        }
      },
      async execute({ contextValue, variableValues }: ExecutionArgs) {
        const { operation, context } = contextValue as Prepared;
        try {
          return revived(await withHooks(await operation.plan().execute(variableValues ?? {}, context), context.caller, plugins));
        } catch (error) {
          return failed(error);
        }
      },
      async subscribe({ contextValue, variableValues }: ExecutionArgs) {
        const { operation, context } = contextValue as Prepared;
        try {
          const events = await operation.plan().subscribe(variableValues ?? {}, context);
          const map = async (answer: Answer) => revived(await withHooks(answer, context.caller, plugins));
          if (!(Symbol.asyncIterator in events)) return await map(events);
          return mapStream(events, { map, signal: context.signal });
        } catch (error) {
          return failed(error);
        }
      },
      onNext({ extra }) {
        // The client does not read: end its connection, so that its events do not fill the memory.
        if (extra.socket.bufferedAmount > MAX_BUFFERED) extra.socket.close(1013, 'Events are not read fast enough');
      },
      onComplete: ({ extra }, id) => void extra.open?.delete(id),
      onError: ({ extra }, id) => void extra.open?.delete(id),
    },
    sockets,
  );
  return async () => handle.dispose();
}

/** The longest time of a timer. */
const MAX_MS = 2_147_483_647;

/** Close a connection when its token expires. Clients connect again with a new one. */
function endAtExpiry({ caller, socket }: Connection & Pick<Extra, 'socket'>): void {
  const expiry = caller?.caller.claims?.exp;
  if (typeof expiry !== 'number') return;
  const timer = setTimeout(
    () => socket.close(4401, 'The token has expired'),
    Math.min(Math.max(0, expiry * 1_000 - Date.now()), MAX_MS),
  );
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

const isHeaderText = (value: unknown): value is string => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0]!;
const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/** A result as graphql-ws sends it. */
const revived = ({ data, errors, extensions }: Outcome): ExecutionResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && {
    errors: errors
      .map(present)
      .map(({ message, path, extensions: shown }) => new GraphQLError(message, { path, extensions: shown })),
  }),
  ...(extensions && { extensions }),
});
