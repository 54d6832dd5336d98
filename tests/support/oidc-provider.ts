import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen } from './listen.ts';

/** A user at the provider. */
interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

interface Grant {
  account: Account;
  clientId: string;
  redirectUri: string;
  challenge: string;
  nonce: string;
}

export const CLIENT = { id: 'dashboard', secret: 'the secret of the client' };

/** An OpenID Connect provider over HTTP. It signs the account of `next` in without asking. */
export async function startOidcProvider() {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const { privateKey: foreignKey } = await generateKeyPair('RS256');
  const grants = new Map<string, Grant>();
  /** The behavior of the next sign-ins. */
  const next = {
    account: { sub: '1' } as Account,
    /** Claims that replace those of the ID token. */
    claims: {} as Record<string, unknown>,
    userInfo: undefined as Account | undefined,
    isForeignKey: false,
    isDown: false,
    error: undefined as string | undefined,
  };
  let issuer = '';

  const authorize = (query: URLSearchParams): URL => {
    const back = new URL(query.get('redirect_uri')!);
    back.searchParams.set('state', query.get('state')!);
    if (next.error) back.searchParams.set('error', next.error);
    else {
      const code = randomBytes(16).toString('hex');
      const [clientId, redirectUri, challenge, nonce] = ['client_id', 'redirect_uri', 'code_challenge', 'nonce'].map(
        (name) => query.get(name)!,
      );
      grants.set(code, {
        account: next.account,
        clientId: clientId!,
        redirectUri: redirectUri!,
        challenge: challenge!,
        nonce: nonce!,
      });
      back.searchParams.set('code', code);
    }
    return back;
  };

  const exchange = async (form: URLSearchParams, authorization = ''): Promise<object | undefined> => {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret).replaceAll('%20', '+')}`).toString('base64')}`;
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || authorization !== basic || challenge !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri)
      return undefined;
    const idToken = await new SignJWT({ ...grant.account, nonce: grant.nonce, ...next.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setIssuer(issuer)
      .setAudience((next.claims.aud as string) ?? grant.clientId)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(next.isForeignKey ? foreignKey : privateKey);
    return { access_token: 'access', token_type: 'Bearer', id_token: idToken };
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, issuer);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (next.isDown) return send(503, {});
    if (url.pathname === '/.well-known/openid-configuration')
      return send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      });
    if (url.pathname === '/keys')
      return send(200, { keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }] });
    if (url.pathname === '/userinfo') return send(200, next.userInfo ?? next.account);
    if (url.pathname === '/authorize') return response.writeHead(302, { location: authorize(url.searchParams).href }).end();
    let text = '';
    for await (const part of request) text += part;
    const tokens = await exchange(new URLSearchParams(text), request.headers.authorization);
    return tokens ? send(200, tokens) : send(400, { error: 'invalid_grant' });
  });
  const port = await listen(server);
  issuer = `http://127.0.0.1:${port}`;
  return { issuer, next, close: () => new Promise((resolve) => server.close(resolve)) };
}
