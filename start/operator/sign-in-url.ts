import { createSignInLink } from '../../platform/identity/sign-in.ts';
import { readEnvironment } from '../../schema/environment.ts';
import { readConfig } from '../process/config.ts';
import { SAMPLE } from '../sample/organization.ts';
import { dataFolder } from '../servers/folders.ts';
import { readLock } from '../servers/lock.ts';
import { openOwnServices } from '../services.ts';

export const signInUrl = (dashboard: string, token: string): string => `${dashboard}/auth/link/${token}`;

/**
 * The base URL of the dashboard: the configured one, or that of the running `npm start`, or the default address.
 * @param running the URL of the gateway, if known
 */
export function dashboardUrl(running?: string): string {
  const config = readEnvironment(['DASHBOARD_ORIGIN', 'PUBLIC_URL', 'DATABASE_URL', 'DATA_DIR', 'HOST', 'PORT']);
  const { DASHBOARD_ORIGIN, PUBLIC_URL, DATABASE_URL, DATA_DIR, HOST, PORT } = config;
  const configured = DASHBOARD_ORIGIN ?? PUBLIC_URL;
  if (configured) return new URL(configured).origin;
  const local = DATABASE_URL ? undefined : readLock(dataFolder(DATA_DIR)).url;
  return running ?? local ?? `http://${HOST}:${PORT}`;
}

/** A link that signs the owner of the sample organization in. */
export async function sampleSignInUrl(databaseUrl: string, url: string): Promise<string> {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl });
  try {
    return signInUrl(dashboardUrl(url), await createSignInLink(services, { email: SAMPLE.email }));
  } finally {
    await services.close();
  }
}
