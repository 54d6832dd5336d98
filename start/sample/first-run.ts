import pg from 'pg';
import { readConfig } from '../../subgraphs/common/config.ts';
import { bootstrapKey } from '../../subgraphs/common/identity/bootstrap.ts';
import { openOwnServices } from '../services.ts';
import { Api } from './api.ts';
import { seedSample } from './seed.ts';

export const SAMPLE = { organization: 'sample', email: 'owner@example.com', name: 'Sample organization' };

/** Whether the sample organization exists and has a job. */
export async function isSampleComplete(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const jobs = 'select from catalog.jobs j join identity.organizations o on o.id = j.organization_id where o.slug = $1 limit 1';
    return (await client.query(jobs, [SAMPLE.organization])).rows.length > 0;
  } finally {
    await client.end();
  }
}

/** Create the sample organization with its owner, key and catalog. Returns the key, which is shown only once. */
export async function createSample({ databaseUrl, url, pages }: { databaseUrl: string; url: string; pages: string }) {
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
    return { key, api, productIds: await seedSample(api, pages) };
  } finally {
    await services.close();
  }
}
