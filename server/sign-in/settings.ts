import type { readConfig } from '../config.ts';
import { Oidc } from './oidc.ts';
import { ownOrigin } from './origin.ts';

type Config = Pick<
  ReturnType<typeof readConfig>,
  'PUBLIC_URL' | 'DASHBOARD_ORIGIN' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET'
>;

/** The options of the sign-in routes from the configuration. */
export function signInOf(config: Config) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const urls = [config.DASHBOARD_ORIGIN, config.PUBLIC_URL].filter((url) => url !== undefined);
  return {
    own: ownOrigin(urls),
    oidc: issuer && clientId && clientSecret ? new Oidc({ issuer, clientId, clientSecret }) : undefined,
  };
}
