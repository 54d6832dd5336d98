import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** A GraphQL client over HTTP and graphql-ws that authenticates with an API key. */
export class Api {
  readonly #headers: Record<string, string>;

  constructor(
    private readonly url: string,
    key: string,
  ) {
    this.#headers = { 'x-api-key': key, 'content-type': 'application/json' };
  }

  /** Run an operation and return its data. Throws the first error. */
  async run<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${this.url}/graphql`, { method: 'POST', headers: this.#headers, body });
    const { data, errors } = (await response.json()) as { data: T; errors?: { message: string }[] };
    if (errors?.[0]) throw new Error(errors[0].message);
    return data;
  }

  /** Iterate over the progress of a job. After a lost connection it resumes by the variable `$after` of the query. */
  async *follow<T extends { jobProgress: { sequence: number } }>(query: string, id: string): AsyncGenerator<T, void, void> {
    const url = `${this.url.replace(/^http/, 'ws')}/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: this.#headers, shouldRetry: () => true });
    let after: number | undefined;
    const variables = {
      id,
      // The client reads it for every connection.
      get after() {
        return after;
      },
    };
    for await (const { data, errors } of client.iterate<T>({ query, variables })) {
      if (errors?.[0]) throw new Error(errors[0].message);
      after = data!.jobProgress.sequence;
      yield data as T;
    }
  }
}
