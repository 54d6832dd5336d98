import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { seedCatalog } from '../support/enrichment.ts';
import { sendFiles } from '../support/form.ts';
import { until } from '../support/until.ts';
import { csv } from '../uploads/files.ts';
import { browserTest, dashboard } from './dashboard.ts';
import { breakerOf, failSubscription, holdSubscription } from './sockets.ts';

const visit = dashboard();
const LOST = 'The connection is lost.';

/** A list of jobs, which the page follows. */
async function openJobs<Sockets>(route: (page: Page) => Promise<Sockets>) {
  const catalog = await seedCatalog();
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const sockets = await route(page);
  await page.goto(`/o/${catalog.slug}/jobs`);
  await page.getByText('No jobs', { exact: true }).waitFor();
  await page.getByText('100,000 credits').waitFor();
  return {
    page,
    sockets,
    async expectNewJob() {
      await catalog.start(await catalog.addColored(1));
      await page.getByRole('link', { name: 'Product enrichment' }).waitFor();
    },
  };
}

browserTest.each([1011, 4400, 4500])('a page follows its jobs again after its socket was closed with %d', async (code) => {
  const { page, sockets, expectNewJob } = await openJobs(breakerOf);
  await sockets.break(code);
  await page.getByText(LOST).waitFor();
  sockets.mend();
  await page.getByText(LOST).waitFor({ state: 'detached' });
  await expectNewJob();
});

browserTest.each(['refuse', 'end'] as const)('a page follows its jobs again after an error of the server: %s', async (how) => {
  const { sockets, expectNewJob } = await openJobs((page) => failSubscription(page, 'OrganizationChanges', 'UNAVAILABLE'));
  await until(() => sockets.isOpen());
  sockets[how]();
  await until(() => sockets.isOpen());
  await expectNewJob();
});

browserTest('a page whose socket the server refuses says so, and reconnects on demand', async () => {
  const { page, sockets, expectNewJob } = await openJobs(breakerOf);
  await sockets.break(4403);
  const notice = page.getByText('The server refuses live updates');
  await notice.waitFor();
  await page.waitForTimeout(2_000);
  expect([await notice.count(), await page.getByText(LOST).count()]).toEqual([1, 0]);
  sockets.mend();
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await notice.waitFor({ state: 'detached' });
  await expectNewJob();
});

browserTest('a page whose subscription the server rejects says so, does not repeat it, and resumes it on demand', async () => {
  const { page, sockets, expectNewJob } = await openJobs((each) =>
    failSubscription(each, 'OrganizationChanges', 'GRAPHQL_VALIDATION_FAILED'),
  );
  await until(() => sockets.isOpen());
  sockets.refuse();
  const notice = page.getByText('The server refuses live updates');
  await notice.waitFor();
  await page.waitForTimeout(3_000);
  expect([sockets.isOpen(), await page.getByText(LOST).count()]).toEqual([false, 0]);
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await notice.waitFor({ state: 'detached' });
  await expectNewJob();
});

browserTest('a page without permission for one subscription says nothing about it', async () => {
  const { page, sockets } = await openJobs((each) => failSubscription(each, 'OrganizationChanges', 'FORBIDDEN'));
  await until(() => sockets.isOpen());
  sockets.refuse();
  await page.waitForTimeout(2_000);
  expect([sockets.isOpen(), await page.getByText(LOST).count()]).toEqual([false, 0]);
});

browserTest('the page of an import counts its products when another subscription reports the end first', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const fields = { modelType: 'budget-v1', prompt: `Every product is [[provider: gate 0 ${gate}]]` };
  const { body } = await sendFiles(catalog, '/ai-import-jobs/create', [csv('SKU,Name\nS-1,Kettle\nS-2,Cup')], { fields });
  const page = await visit('about:blank', { userId: catalog.owner.id });
  const progress = await holdSubscription(page, 'subscription ImportProgress');
  await page.goto(`/o/${catalog.slug}/imports/${body.data.jobId}`);
  await page.getByText('0 found').waitFor();
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByRole('main').getByText('Completed', { exact: true }).waitFor();
  progress.release();
  await page.getByText('2 found').waitFor();
});

browserTest('the page of a stopped job shows how its running items end', async () => {
  const catalog = await seedCatalog();
  const jobId = await catalog.start(await catalog.addColored(2, '[[provider: slow 4000]]'));
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}`, { userId: catalog.owner.id });
  await page.getByRole('cell', { name: 'Running' }).first().waitFor();
  await catalog.stop(jobId);
  await page.getByRole('main').getByText('Stopped', { exact: true }).waitFor();
  await page.getByRole('cell', { name: 'Completed' }).first().waitFor();
  await page.getByRole('cell', { name: 'Running' }).first().waitFor({ state: 'detached' });
});
