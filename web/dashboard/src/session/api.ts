import { useCallback, useEffect, useState } from 'react';
import { CombinedError } from 'urql';
import { ownPath } from '../../../shared/own-path.ts';

/** The user of a session. */
export interface User {
  id: string;
  name: string;
  email: string;
}

interface Methods {
  oidc: { name: string } | null;
  links: boolean;
}

/** A request that was refused. */
export class Refusal extends Error {
  readonly response: Response;
  /** The error message of the server; undefined if a proxy refused the request. */
  readonly sentence: string | undefined;
  constructor(response: Response, sentence: string | undefined) {
    super(sentence ?? response.statusText);
    this.response = response;
    this.sentence = sentence;
  }
}

async function request(path: string, method: 'GET' | 'POST', body?: object): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new Refusal(response, error);
}

export const readMethods = async (): Promise<Methods> => (await request('/auth/methods', 'GET')).json();

/** The user of the session; null without a session. */
export async function readSession(): Promise<User | null> {
  try {
    const { user } = (await (await request('/auth/session', 'GET')).json()) as { user: User };
    return user;
  } catch (error) {
    if (error instanceof Refusal && error.response.status === 401) return null;
    throw error;
  }
}

/** Consume a sign-in link. Returns where to go: `to` if it is a page of this origin. Throws a `Refusal` if the link was used or has expired. */
export async function signInByLink(token: string, to: string): Promise<string> {
  const { organization } = (await (await request('/auth/link', 'POST', { token })).json()) as { organization?: string | null };
  const wanted = ownPath(to);
  if (wanted && wanted !== '/') return wanted;
  return organization ? `/o/${organization}` : '/';
}

export const endSession = async (): Promise<void> => void (await request('/auth/sign-out', 'POST'));
/** Where the OpenID provider starts. It leads back to `to`, a path of the dashboard. */
export const oidcPath = (to: string): string => `/auth/oidc?to=${encodeURIComponent(to)}`;

/** The result of a request outside the graph; undefined until it has loaded. */
export function useResponse<Value>(read: () => Promise<Value>) {
  const [answer, setAnswer] = useState<{ value: Value } | { error: CombinedError }>();
  const retry = useCallback(() => {
    setAnswer(undefined);
    read().then(
      (value) => setAnswer({ value }),
      (error: Error) => setAnswer({ error: errorOf(error) }),
    );
  }, [read]);
  useEffect(retry, [retry]);
  return { answer, retry };
}

/** The failure in the form of those of the graph. A proxy that refuses a request does not reach the server. */
function errorOf(error: Error): CombinedError {
  const { response, sentence } = error instanceof Refusal ? error : {};
  return new CombinedError(sentence ? { graphQLErrors: [sentence], response } : { networkError: error, response });
}
