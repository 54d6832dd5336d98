import { fail } from '../gateway-error.ts';
import type { Budget } from '../source-contract.ts';
import { CLIENT_HEADERS, clientOf } from '../usage/collector.ts';
import { type CallerContext, type IncomingRequest, type Plugin, policiesOf } from './plugin.ts';
import { createHeaderCheck } from './served-subgraphs.ts';
import type { Configuration } from './server-configuration.ts';
import { scopesIn, type Tokens } from './token-verification.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Identifies the caller of a request. Throws `UNAUTHENTICATED` for an invalid token, `HEADERS_TOO_LARGE`, and errors of plugins. */
export type Identify = (headers: Headers, address: string) => Promise<Omit<CallerContext, 'signal' | 'budget'>>;

export function createIdentify(
  configuration: Pick<Configuration, 'jwt' | 'defaults' | 'subgraphs'>,
  tokens: Tokens | undefined,
  plugins: readonly Plugin[],
): Identify {
  const { jwt } = configuration;
  const checkHeaders = createHeaderCheck(configuration);
  return async (headers, address) => {
    const claims = await tokens?.verify(headers);
    const caller: IncomingRequest = {
      headers,
      address,
      claims,
      authorization: {
        isAuthenticated: claims !== undefined,
        scopes: claims && jwt ? scopesIn(claims, jwt.scopeClaim) : [],
        policies: (names) => policiesOf(plugins, names, caller),
      },
      subgraphHeaders: {},
    };
    for (const plugin of plugins) await plugin.onRequest?.(caller);
    checkHeaders({ headers, caller });
    return {
      headers,
      client: clientIn(headers),
      caller,
      signed: (await tokens?.signed(caller.claims)) ?? {},
      authorization: caller.authorization,
    };
  };
}

/** The client that headers or the parameters of a connection name. */
export const clientIn = (named: Readonly<Record<string, unknown>>) => {
  const [name, version] = CLIENT_HEADERS;
  return clientOf(named[name], named[version]);
};

/** Limits what an operation reads and answers, in characters. */
export class ResponseBudget implements Budget {
  refusal: ReturnType<typeof fail> | undefined;
  #read = 0;

  constructor(readonly limit: number) {}

  read(bytes: number): void {
    this.#read += bytes;
    this.write(this.#read);
  }

  values(): void {}

  write(length: number): void {
    if (length > this.limit)
      this.refusal ??= fail('LIMIT_REACHED', `The response may have at most ${this.limit} bytes: request fewer fields`);
    if (this.refusal) throw this.refusal;
  }

  restart(): void {
    this.#read = 0;
    this.refusal = undefined;
  }
}

/** The signal of an operation: it ends with the time limit, or when the caller leaves. */
export function signalOf(seconds: number): { signal: AbortSignal; leave(): void } {
  const left = new AbortController();
  return {
    signal: AbortSignal.any([left.signal, AbortSignal.timeout(seconds * 1_000)]),
    leave: () => left.abort(new DOMException('The caller has left', 'AbortError')),
  };
}
