import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bootstrapKey } from '../../platform/identity/bootstrap.ts';
import { createSignInLink } from '../../platform/identity/sign-in.ts';
import { dashboardUrl, signInUrl } from '../operator/command.ts';
import { readConfig } from '../process/config.ts';
import { openOwnServices } from '../process-services.ts';
import { Api } from './sample-client.ts';
import { sampleKinds } from './sample-jobs.ts';
import { seedSite, seedWebhook } from './sample-site.ts';
import { createSampleAgent, seedSample } from './seed.ts';

/** A product list to import, in CSV. */
export const IMPORT_FILE = fileURLToPath(new URL('./imports/garden-tools.csv', import.meta.url));

/** Whether the sample organization exists, has a job of each kind that the sample runs, and had visitors. */
export async function isSampleComplete(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const jobs = `select distinct kind from catalog.jobs j join identity.organizations o on o.id = j.organization_id
                   where o.slug = $1 and kind = any($2)`;
    const talks = `select from agent.conversations c join identity.organizations o on o.id = c.organization_id where o.slug = $1 limit 1`;
    const [{ rows: kinds }, { rowCount }] = [
      await client.query(jobs, [SAMPLE.organization, sampleKinds]),
      await client.query(talks, [SAMPLE.organization]),
    ];
    return kinds.length === sampleKinds.length && rowCount === 1;
  } finally {
    await client.end();
  }
}

interface SampleOptions {
  databaseUrl: string;
  /** The gateway. */
  url: string;
  /** Base URLs of the sample pages and orders. */
  pages: string;
  orders: string;
  /** A receiver of webhooks. */
  hooks: string;
}

/** Create the sample organization with its owner, key, catalog, agent, site and webhook. Returns the key, which is shown only once. */
export async function createSample({ databaseUrl, url, pages, orders, hooks }: SampleOptions) {
  const services = await openOwnServices({ ...readConfig(), DATABASE_URL: databaseUrl });
  try {
    const { key } = await bootstrapKey(services, {
      ...SAMPLE,
      role: 'owner',
      credits: 10_000,
      plan: 'growth',
      modules: ['helpdesk'],
    });
    const api = new Api(url, key);
    const agentId = await createSampleAgent(api, { pages, orders });
    await seedWebhook(api, hooks);
    return { key, api, agentId, products: await seedSample(api, pages), site: await seedSite(api) };
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
