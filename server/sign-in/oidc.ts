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
export interface SignInAttempt {
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
}

/** The provider could not be reached. */
export class ProviderUnavailable extends Error {}

/** The provider or the callback does not allow the sign-in. The message is for the user. */
export class SignInRefused extends Error {}

/** Milliseconds after which the metadata of the provider is read again, and for which it is used while that fails. */
const [METADATA_AGE, MAX_METADATA_AGE] = [60 * 60 * 1_000, 24 * 60 * 60 * 1_000];
/** Milliseconds between two attempts to read the metadata again. */
const RETRY = 60_000;
/** Seconds that a request to the provider may take. */
const TIMEOUT = 10;

/** Signs users in with an OpenID Connect provider. It reads the metadata of the provider on first use. */
export class Oidc {
  #configuration?: { at: number; value: client.Configuration };
  #reading?: Promise<client.Configuration>;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a clock that only moves forward */
  constructor(
    readonly options: OidcOptions,
    private readonly now = () => performance.now(),
  ) {}

  /** The host of the provider, for the label of the button. */
  get name(): string {
    return new URL(this.options.issuer).host;
  }

  /** Start an attempt. Returns its values and the address of the provider for it. */
  async begin(redirectUri: string): Promise<{ attempt: SignInAttempt; url: string }> {
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
  async complete(callback: URL, { state, nonce, verifier }: SignInAttempt): Promise<ProviderUser> {
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

  /** The metadata of the provider. While it cannot be read again, the metadata of up to a day ago is used. */
  async #configured(): Promise<client.Configuration> {
    const known = this.#configuration;
    const age = known ? this.now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age < METADATA_AGE) return known.value;
    const isUsable = known && age < MAX_METADATA_AGE;
    // Otherwise each sign-in would wait for a provider that does not respond.
    if (isUsable && this.now() - this.#failedAt < RETRY) return known.value;
    this.#reading ??= this.#read();
    return isUsable ? this.#reading.catch(() => known.value) : this.#reading;
  }

  async #read(): Promise<client.Configuration> {
    try {
      const value = await discover(this.options);
      this.#configuration = { at: this.now(), value };
      return value;
    } catch (error) {
      this.#failedAt = this.now();
      throw error;
    } finally {
      this.#reading = undefined;
    }
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
