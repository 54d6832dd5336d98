import * as client from 'openid-client';
import { truncate } from '../../schema/text.ts';

export interface OidcOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A user as the provider describes it. */
export interface ProviderUser {
  email: string;
  name: string;
}

/** Values of one sign-in attempt, which its callback must match. */
export interface Attempt {
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
}

/** The provider could not be reached. */
export class ProviderUnavailable extends Error {}

/** The provider or the callback does not allow the sign-in. The message is for the user. */
export class SignInRefused extends Error {}

/** Milliseconds after which the metadata of the provider is read again. */
const METADATA_AGE = 60 * 60 * 1_000;
/** Seconds that a request to the provider may take. */
const TIMEOUT = 10;

/** Signs users in with an OpenID Connect provider. It reads the metadata of the provider on first use. */
export class Oidc {
  #configuration?: { at: number; value: Promise<client.Configuration> };

  constructor(readonly options: OidcOptions) {}

  /** The host of the provider, for the label of the button. */
  get name(): string {
    return new URL(this.options.issuer).host;
  }

  /** Start an attempt. Returns its values and the address of the provider for it. */
  async begin(redirectUri: string): Promise<{ attempt: Attempt; url: string }> {
    const configuration = await this.#configured();
    const attempt = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { attempt, url: url.href };
  }

  /** Exchange the code of a callback for the user. Throws `SignInRefused` and `ProviderUnavailable`. */
  async complete(callback: URL, { state, nonce, verifier }: Attempt): Promise<ProviderUser> {
    const configuration = await this.#configured();
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(configuration, callback, checks);
      const claims = tokens.claims()!;
      // Some providers describe the user only at this endpoint.
      const isComplete = claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint;
      return userOf(isComplete ? claims : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** The metadata of the provider. A failure is not cached, so the next attempt reads it again. */
  #configured(): Promise<client.Configuration> {
    const cached = this.#configuration;
    if (cached && performance.now() - cached.at < METADATA_AGE) return cached.value;
    const entry = { at: performance.now(), value: discover(this.options) };
    this.#configuration = entry;
    entry.value.catch(() => {
      if (this.#configuration === entry) this.#configuration = undefined;
    });
    return entry.value;
  }
}

async function discover({ issuer, clientId, clientSecret }: OidcOptions): Promise<client.Configuration> {
  const server = new URL(issuer);
  const authentication: client.ClientAuth = (metadata, ...rest) => {
    const isPostOnly = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false;
    return (isPostOnly ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret))(metadata, ...rest);
  };
  // Verify the signature of ID tokens too, although they come from the provider directly.
  const execute = [client.enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : [])];
  try {
    return await client.discovery(server, clientId, clientSecret, authentication, { execute, timeout: TIMEOUT });
  } catch (cause) {
    throw new ProviderUnavailable('The sign-in provider does not respond. Try again, or ask for a sign-in link.', { cause });
  }
}

/** ASCII only: some other letters become ASCII in lower case, so that two addresses would be one user. */
const EMAIL = /^[!-?A-~]+@[!-?A-~]+$/;

function userOf({ email, email_verified: isVerified, name }: Record<string, unknown>): ProviderUser {
  if (typeof email !== 'string' || !EMAIL.test(email) || email.length > 320)
    throw new SignInRefused('The provider did not share your e-mail address. Allow it, or ask for a sign-in link.');
  if (isVerified !== true)
    throw new SignInRefused('The provider has not verified your e-mail address. Verify it there, or ask for a sign-in link.');
  return { email, name: typeof name === 'string' && name.trim() ? truncate(name.trim(), 255) : email };
}

function refusalOf(error: unknown): unknown {
  if (error instanceof SignInRefused) return error;
  if (error instanceof client.AuthorizationResponseError)
    return new SignInRefused('The provider did not sign you in. Sign in again, or ask for a sign-in link.', { cause: error });
  const { code } = error as { code?: string };
  if (error instanceof client.ResponseBodyError || (code?.startsWith('OAUTH_') && code !== 'OAUTH_TIMEOUT'))
    return new SignInRefused('The response of the provider does not belong to this sign-in, or is too old. Sign in again.', {
      cause: error,
    });
  return new ProviderUnavailable('The sign-in provider does not respond. Try again, or ask for a sign-in link.', { cause: error });
}
