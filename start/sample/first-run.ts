import { fileURLToPath } from 'node:url';
import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { shellOperator, updateAccount } from '../../platform/identity/accounts.ts';
import { bootstrapKey } from '../../platform/identity/bootstrap.ts';
import { createSignInLink } from '../../platform/identity/sign-in.ts';
import { detached } from '../../platform/scope/index.ts';
import { openSigningSecrets } from '../../subgraphs/agent/visitors/signing-secrets.ts';
import { dashboardUrl, signInUrl } from '../operator/command.ts';
import { readConfig } from '../process/config.ts';
import { openOwnServices } from '../process-services.ts';
import type { ShopAgent } from './customer-shop.ts';
import { Api } from './sample-client.ts';
import { runSampleJobs } from './sample-jobs.ts';
import { seedSite, seedWebhook } from './sample-site.ts';
import { AGENT_SLUG, createSampleAgent, seedSample } from './seed.ts';
import { visitSample } from './visitors.ts';

/** A product list to import, in CSV. */
export const IMPORT_FILE = fileURLToPath(new URL('./imports/garden-tools.csv', import.meta.url));

/** Credits of the sample, which are added once: to make it, and when it is complete. */
const [TO_MAKE, COMPLETED] = [
  { credits: 1_000, reference: 'sample' },
  { credits: 9_000, reference: 'sample is complete', reason: 'Added from the shell' },
];

/** Whether a start has completed the sample organization. Later changes and deletions of its users do not matter. */
export async function isSampleComplete(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const entries = `select from identity.credit_entries e join identity.organizations o on o.id = e.organization_id
                      where o.slug = $1 and e.reference = $2`;
    const { rowCount } = await client.query(entries, [SAMPLE.organization, `operator:${COMPLETED.reference}`]);
    return rowCount === 1;
  } finally {
    await client.end();
  }
}

interface SampleOptions {
  databaseUrl: string;
  /** The gateway. */
  url: string;
  /** Base URLs of the sample pages, of orders, and of customers with their orders. */
  pages: string;
  orders: string;
  customers: string;
  /** The page of the sample shop. */
  shopUrl: string;
  /** A receiver of webhooks. */
  hooks: string;
}

/**
 * Create the sample organization with its owner, key, catalog, agent, site and webhook, or what an interrupted start has left out. Returns
 * the key, which is shown only once.
 */
export async function createSample({ databaseUrl, url, hooks, ...places }: SampleOptions) {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl });
  try {
    const { key } = await bootstrapKey(services, {
      ...{ ...SAMPLE, ...TO_MAKE },
      role: 'owner',
      plan: 'growth',
      modules: ['helpdesk'],
    });
    const api = new Api(url, key);
    const agentId = await createSampleAgent(api, places);
    await seedWebhook(api, hooks);
    return { key, api, agentId, products: await seedSample(api, places.pages), site: await seedSite(api) };
  } finally {
    await services.close();
  }
}

/**
 * The agent of the sample shop with its secrets, for each start. Undefined when its owner has deleted it or a secret of it.
 * @param secretsKey decrypts the secrets of the database
 */
export async function findShopAgent(databaseUrl: string, url: string, secretsKey: string[]): Promise<ShopAgent | undefined> {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey });
  try {
    const { rows } = await services.pool.query<{ id: string; organizationId: string; publicSlug: string }>(
      `select a.id, a.organization_id as "organizationId", a.public_slug as "publicSlug"
         from agent.agents a join identity.organizations o on o.id = a.organization_id where o.slug = $1 and a.slug = $2`,
      [SAMPLE.organization, AGENT_SLUG],
    );
    const [agent] = rows;
    if (!agent) return undefined;
    const scope = detached({ services, organizationId: agent.organizationId });
    const [[identitySecret], [requestSecret]] = await Promise.all([
      openSigningSecrets(scope, agent.id, 'identity'),
      openSigningSecrets(scope, agent.id, 'requests'),
    ]);
    if (identitySecret === undefined || requestSecret === undefined) return undefined;
    return { url, publicSlug: agent.publicSlug, identitySecret, requestSecret };
  } finally {
    await services.close();
  }
}

/** The parts of the sample that its jobs and visitors use. */
export type Sample = Awaited<ReturnType<typeof createSample>>;

interface FillOptions {
  databaseUrl: string;
  /** The gateway, and the site-content API. */
  url: string;
  siteUrl: string;
  /** Whether `npm start` ends. */
  isEnding(): boolean;
  /** Called with a line for the terminal. */
  onLine(text: string): void;
}

/** Runs the jobs and the visits of the sample. If they fail, the system runs without them, and the next start continues. */
export async function fillSample(sample: Sample, { databaseUrl, url, siteUrl, isEnding, onLine }: FillOptions): Promise<void> {
  const { api, agentId, products, site } = sample;
  try {
    if (!isEnding()) await runSampleJobs(api, products);
    if (!isEnding()) await visitSample(api, { url, siteUrl, agentId, site });
    if (!isEnding()) await completeSample(databaseUrl);
  } catch (error) {
    onLine(`The sample is incomplete: ${(error as Error).message}. The next start continues it.`);
  }
}

/** Later starts leave the sample as it is. */
async function completeSample(databaseUrl: string): Promise<void> {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl });
  try {
    const em = services.orm.em.fork() as EntityManager;
    await updateAccount({ em, services }, shellOperator(), { organization: SAMPLE.organization, ...COMPLETED });
  } finally {
    await services.close();
  }
}

/** The organization that the first start creates, and its owner. */
export const SAMPLE = { organization: 'sample', email: 'owner@example.com', name: 'Sample organization' };

/** A link that signs the owner of the sample organization in. */
export async function sampleSignInUrl(databaseUrl: string, url: string): Promise<string> {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl });
  try {
    return signInUrl(dashboardUrl(url), await createSignInLink(services, { email: SAMPLE.email }));
  } finally {
    await services.close();
  }
}
