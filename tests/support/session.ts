import { createHash, randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Answer, caller, operationsThrough } from './client.ts';
import { database } from './seed.ts';

/** Insert a sign-in link of a user, and return its token. */
export async function seedLink(
  userId: string,
  { minutes = 15, organizationId, databaseUrl }: { minutes?: number; organizationId?: string; databaseUrl?: string } = {},
): Promise<string> {
  const token = `cl_${randomBytes(32).toString('base64url')}`;
  const hash = createHash('sha256').update(token).digest();
  await database(databaseUrl).query(
    `insert into identity.sign_in_links (token_hash, user_id, organization_id, expires_at)
     values ($1, $2, $4, now() + make_interval(mins => $3))`,
    [hash, userId, minutes, organizationId ?? null],
  );
  return token;
}

/** The value of a cookie that a response sets. */
export const cookieOf = ({ headers }: Pick<Answer, 'headers'>, name = 'session'): string | undefined =>
  headers
    .getSetCookie()
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';', 1)[0];

/** Sign a user in like the dashboard. The clients of the result send the cookie and the headers of a browser. */
export async function signIn(
  userId: string,
  { url = process.env.TEST_URL!, databaseUrl, organization }: { url?: string; databaseUrl?: string; organization?: string } = {},
) {
  const origin = new URL(url).origin;
  const answer = await caller(undefined, { url }).post(
    '/auth/link',
    { token: await seedLink(userId, { databaseUrl }) },
    { origin },
  );
  if (answer.status !== 200) throw new Error(`Not signed in: ${JSON.stringify(answer.body)}`);
  return browser(cookieOf(answer)!, { url, organization });
}

/** A client that sends this session cookie with these headers; by default, those of a page of the dashboard. */
export function browser(
  token: string,
  {
    url = process.env.TEST_URL!,
    organization,
    from = {},
  }: { url?: string; organization?: string; from?: Record<string, string> } = {},
) {
  const { origin } = new URL(url);
  const cookie = `theme=dark; session=${token}`;
  const client = caller(undefined, { url, organization });
  const ofPost = { cookie, origin, ...from };
  const ofGet = { cookie, 'sec-fetch-site': 'same-origin', ...from };
  return {
    token,
    get: (path: string, more: Record<string, string> = {}) => client.get(path, { ...ofGet, ...more }),
    post: (path: string, body: unknown = {}, more: Record<string, string> = {}) => client.post(path, body, { ...ofPost, ...more }),
    ...operationsThrough((path, body) => client.post(path, body, ofPost)),
    /** A graphql-ws client whose handshake carries the cookie. */
    socket(connectionParams: Record<string, string> = { ...(organization && { 'x-organization': organization }) }) {
      class Socket extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { headers: ofPost });
        }
      }
      return createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: Socket,
        connectionParams,
        retryAttempts: 0,
      });
    },
  };
}
