import { randomUUID } from 'node:crypto';
import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql';
import type { CompiledOperation } from '../plan/context.ts';
import type { PrepareOptions, RequestContext } from '../source-contract.ts';
import { coordinatesOf, hashOf, signatureOf } from './coordinates.ts';
import { type Client, DURATIONS, REST, type UsageBatch, type UsageRow, type UsedOperation } from './usage-contract.ts';

const [MAX_CLIENT_NAME, MAX_VERSION] = [64, 32];

/** The header that names the program of a request, and the one with its version. Apollo's clients send both. */
export const CLIENT_HEADERS = ['apollographql-client-name', 'apollographql-client-version'] as const;

/** The client that a request names. Both texts may be anything, so they are cleaned and cut. Undefined without a usable name. */
export function clientOf(name: unknown, version?: unknown): Client | undefined {
  const clean = cleaned(name, MAX_CLIENT_NAME);
  return clean === '' || clean === REST ? undefined : { name: clean, version: cleaned(version, MAX_VERSION) };
}

/** Printable ASCII needs no cleaning. */
const plain = /^[!-~](?:[ -~]*[!-~])?$/;

/** A text of a caller in printable characters, cut at `length`. */
export function cleaned(text: unknown, length: number): string {
  if (typeof text !== 'string') return '';
  if (text.length <= length && plain.test(text)) return text;
  // Cut first, because the text may be long.
  const start = text
    .trimStart()
    .slice(0, 4 * length)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return start.slice(0, length).toWellFormed().replaceAll('\uFFFD', '').trim();
}

/** Limits of one hour. Requests beyond them are counted under `REST`, with their coordinates. */
export interface UsageLimits {
  /** Different operations. Those known at start do not count. */
  operations: number;
  clients: number;
  /** Pairs of an operation and a client. */
  pairs: number;
}

const defaultLimits: UsageLimits = { operations: 2_000, clients: 500, pairs: 10_000 };
const HOUR = 3_600_000;
/**
 * Part of the operations, clients and pairs that the callers of one tenant, or all callers without one, may take. A caller can invent names, and
 * each pair is a row for 90 days.
 */
const SHARE = 1 / 20;
const MAX_TEXT = 16_384;
const MAX_NAME = 100;

class Counts {
  requests = 0;
  errors = 0;
  readonly durations = new Array<number>(DURATIONS).fill(0);
  readonly sent = new Map<string, number>();

  constructor(
    readonly hour: number,
    readonly operation: string,
    readonly client: Client,
  ) {}

  add(milliseconds: number, hasErrors: boolean): void {
    this.requests += 1;
    if (hasErrors) this.errors += 1;
    const index = milliseconds <= 1 ? 0 : Math.ceil(2 * Math.log2(milliseconds));
    this.durations[Math.min(index, DURATIONS - 1)]! += 1;
  }

  use(coordinates: Iterable<string>): void {
    for (const each of coordinates) this.sent.set(each, (this.sent.get(each) ?? 0) + 1);
  }
}

/** Names in use this hour, with the number that each tenant brought. */
class Places {
  readonly #names = new Set<string>();
  readonly #owners = new Map<string, number>();

  constructor(private readonly limit: number) {}

  take(name: string, owner: string | undefined): boolean {
    if (this.#names.has(name)) return true;
    if (this.#names.size >= this.limit) return false;
    // Without tenants, there is nobody to be fair to.
    if (owner !== undefined) {
      const own = this.#owners.get(owner) ?? 0;
      if (own >= this.limit * SHARE) return false;
      this.#owners.set(owner, own + 1);
    }
    this.#names.add(name);
    return true;
  }
}

const restClient: Client = { name: REST, version: '' };
const unnamed: Client = { name: '', version: '' };

/**
 * Counts the operations of a gateway in memory, by operation, client and hour, until `take` returns the counts. An hour changes only with
 * `take`. Values of variables are not kept.
 */
export class UsageCollector {
  readonly #writer = randomUUID();
  readonly #limits: UsageLimits;
  readonly #now: () => number;
  #sequence = 0;
  #hour: number;
  #operations!: Places;
  #clients!: Places;
  #pairs!: Places;
  /** Hashes that a stored batch described in this hour, and those that the store had no room for. */
  #stored!: Set<string>;
  #refused!: Set<string>;
  #used = new Map<string, UsedOperation>();
  #counts = new Map<string, Counts>();
  /** Changes when new counts begin. */
  #window = {};
  /** The batch whose storage is not confirmed. */
  #pending: UsageBatch | undefined;

  constructor({ limits, now = Date.now }: { limits?: Partial<UsageLimits>; now?: () => number } = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now;
    this.#hour = this.#startHour();
  }

  /** Wrap an operation so that its requests are counted. `sent` has the marks of its variables. */
  count(
    operation: CompiledOperation,
    sent: SentInputs,
    { document, schema, operationName, label }: PrepareOptions & { document: DocumentNode; schema: GraphQLSchema },
  ): CompiledOperation {
    let known: ReturnType<typeof describe> | undefined;
    let last: { counts: Counts; client: Client; window: object } | undefined;
    const find = (context: RequestContext): Counts => {
      const { client = unnamed } = context;
      const isLast = last?.window === this.#window && last.client.name === client.name && last.client.version === client.version;
      if (isLast) return last!.counts;
      known ??= describe(document, schema, operationName, label);
      const counts = this.#countsOf(known.operation, context);
      // The place of a client beyond the limits depends on its tenant.
      if (counts.client !== restClient) last = { counts, client, window: this.#window };
      return counts;
    };
    const add = (context: RequestContext, given: object, time: number, failed: boolean) => {
      const counts = find(context);
      counts.add(time, failed);
      if (counts.operation === REST) counts.use(known!.operation.coordinates);
      const inputs = sent.of(given);
      if (inputs) counts.use(inputs);
      for (const [name, coordinates] of known!.filled) if (isSent(given, name)) counts.use(coordinates);
    };
    const counted =
      <Result extends object>(run: (given: Variables, context: RequestContext) => Promise<Result>): typeof run =>
      async (given, context) => {
        const start = performance.now();
        try {
          const answer = await run(given, context);
          add(context, given, performance.now() - start, hasErrors(answer));
          return answer;
        } catch (error) {
          add(context, given, performance.now() - start, true);
          throw error;
        }
      };
    const { executeInParts } = operation;
    return {
      execute: counted((given, context) => operation.execute(given, context)),
      executeInParts: executeInParts && counted(executeInParts),
      subscribe: counted((given, context) => operation.subscribe(given, context)),
    };
  }

  /** The counts that are not stored yet. Returns the same batch until `stored` confirms it; undefined if there are none. */
  take(): UsageBatch | undefined {
    if (!this.#pending && this.#counts.size > 0) {
      const rows = [...this.#counts.values()].map(rowOf);
      const operations = [...this.#used.values()].filter(({ hash }) => !this.#stored.has(hash));
      this.#pending = { writer: this.#writer, sequence: ++this.#sequence, operations, rows };
      this.#counts = new Map();
      this.#window = {};
      this.#used = new Map();
    }
    if (Math.floor(this.#now() / HOUR) * HOUR !== this.#hour) this.#hour = this.#startHour();
    return this.#pending;
  }

  /** Confirm the batch. `refused` names operations that the store has no room for; they count under `REST` for the rest of the hour. */
  stored({ operations }: UsageBatch, refused: readonly string[] = []): void {
    this.#pending = undefined;
    for (const { hash } of operations) this.#stored.add(hash);
    for (const hash of refused) this.#refused.add(hash);
  }

  #startHour(): number {
    const { operations, clients, pairs } = this.#limits;
    this.#operations = new Places(operations);
    this.#clients = new Places(clients);
    this.#pairs = new Places(pairs);
    this.#stored = new Set();
    this.#refused = new Set();
    this.#window = {};
    return Math.floor(this.#now() / HOUR) * HOUR;
  }

  #countsOf(operation: UsedOperation, { client = unnamed, owner }: RequestContext): Counts {
    const { hash, label } = operation;
    const isNamed = client === unnamed || this.#clients.take(nameOf(client), owner);
    const counted = isNamed ? client : restClient;
    const key = keyOf(this.#hour, hash, counted);
    const known = this.#counts.get(key);
    if (known) return known;
    const hasPlace = !this.#refused.has(hash) && (label !== '' || this.#operations.take(hash, owner));
    // After an outage of the store, several hours wait in memory.
    const hasRoom = hasPlace && this.#counts.size < this.#limits.pairs && this.#pairs.take(key, owner);
    if (!hasRoom) return this.#at(REST, restClient);
    this.#used.set(hash, operation);
    return this.#at(hash, counted);
  }

  #at(operation: string, client: Client): Counts {
    const key = keyOf(this.#hour, operation, client);
    let counts = this.#counts.get(key);
    if (!counts) {
      counts = new Counts(this.#hour, operation, client);
      this.#counts.set(key, counts);
    }
    return counts;
  }
}

type Variables = Readonly<Record<string, unknown>>;

const nameOf = ({ name, version }: Client) => `${name}\n${version}`;
const keyOf = (hour: number, operation: string, client: Client) => `${hour} ${operation} ${nameOf(client)}`;

const hasErrors = (answer: object) => 'errors' in answer && Array.isArray(answer.errors) && answer.errors.length > 0;
const isSent = (given: object, name: string) => Object.hasOwn(given, name) && (given as Variables)[name] !== undefined;

const rowOf = ({ hour, operation, client, requests, errors, durations, sent }: Counts): UsageRow => ({
  hour,
  operation,
  client,
  requests,
  errors,
  durations,
  sent: Object.fromEntries(sent),
});

function describe(document: DocumentNode, schema: GraphQLSchema, operationName: string | undefined, label = '') {
  const definition = getOperationAST(document, operationName)!;
  const { used, filled } = coordinatesOf(document, definition, schema);
  const text = signatureOf(document, definition, schema);
  const operation: UsedOperation = {
    hash: hashOf(text, label),
    name: (definition.name?.value ?? '').slice(0, MAX_NAME),
    kind: definition.operation,
    label,
    text: text.length > MAX_TEXT ? '' : text,
    coordinates: used,
    filled: [...new Set([...filled.values()].flat())].sort(),
  };
  return { operation, filled: [...filled] };
}

/**
 * The input fields and enum values in the variables of the requests of one operation. Reading the variables marks them, so they are not
 * walked again.
 */
export class SentInputs {
  readonly #coordinates: string[] = [];
  readonly #indexes = new Map<string, number>();
  /** By index, the read that marked the coordinate last. */
  readonly #reads: number[] = [];
  #read = 0;
  #marked: string[] = [];
  /** By the variables of a request. Equal objects have equal marks, so several requests may share one. */
  readonly #ofVariables = new WeakMap<object, readonly string[]>();

  /** The index by which a coordinate is marked. */
  indexOf(coordinate: string): number {
    const known = this.#indexes.get(coordinate);
    if (known !== undefined) return known;
    const index = this.#coordinates.push(coordinate) - 1;
    this.#indexes.set(coordinate, index);
    this.#reads.push(0);
    return index;
  }

  /** Variables are read without waiting, so there is one read at a time. */
  begin(): void {
    this.#read += 1;
    if (this.#marked.length > 0) this.#marked = [];
  }

  mark(index: number): void {
    if (this.#reads[index] === this.#read) return;
    this.#reads[index] = this.#read;
    this.#marked.push(this.#coordinates[index]!);
  }

  /** Keep the marks of valid variables. */
  end(variables: object): void {
    if (this.#marked.length > 0) this.#ofVariables.set(variables, this.#marked);
  }

  /** The coordinates that were marked in these variables, each once; undefined if there are none, or the variables are invalid. */
  of(variables: object): readonly string[] | undefined {
    return this.#ofVariables.get(variables);
  }
}
