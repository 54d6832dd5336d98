import type { Page } from 'playwright-core';
import { ORIGIN, question, seedAgent, send } from '../agent/chat/chatting.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { createDatabase } from '../support/database.ts';
import { openSystem } from '../support/system.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const provider = await startChatProvider();
const own = await createDatabase();
// A worker process runs the tests.
const system = await openSystem({ databaseUrl: own.url, provider: provider.url });
afterAll(async () => {
  await system.stop();
  await own.drop();
  await provider.close();
});
const visit = dashboard({ url: system.url, databaseUrl: own.url });

/** The model repeats the months of its instructions. */
provider.on('warranty', (response, { stream, messages }) => {
  if (!stream) return response.complete('{"agrees":false,"reason":"It is another number."}');
  const [, months = '12'] = /(\d+) months/.exec(String(messages[0]!.content)) ?? [];
  return response.text(`The warranty is ${months} months.`).finish();
});

provider.on('Know the guarantee', (response, { messages }) => {
  const { conversation } = JSON.parse(messages.at(-1)!.content!);
  response.complete(JSON.stringify({ message: 'Is there a guarantee?', done: conversation.length > 0 }));
});

/** Run the test set of the agent, and wait for its result. */
async function runTests(page: Page, testsPath: string, result: string) {
  await page.goto(testsPath);
  await page.getByRole('link', { name: 'Basics' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'Run of Basics' }).waitFor();
  await page.getByText(result).first().waitFor({ timeout: 60_000 });
}

async function instruct(page: Page, text: string) {
  await page.getByLabel('Instructions').fill(text);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No unsaved changes').waitFor();
}

browserTest(
  'a bad answer becomes a test case that blocks a publication until the draft is fixed, and a version comes back',
  async () => {
    const acme = await seedAgent(system.url, {}, { databaseUrl: own.url });
    const agentPath = `/o/${acme.slug}/agents/${acme.agent.id}`;
    await send(acme.widgetPath, question('How long is the warranty?'), { origin: ORIGIN });

    // The inbox: the answer should have been another one.
    const page = await visit(`/o/${acme.slug}/inbox`, { userId: acme.owner.id });
    await page.getByRole('link', { name: /The warranty is 12 months/ }).click();
    await page.getByRole('button', { name: 'Make a test case' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('It should have answered').fill('The warranty is 24 months.');
    await dialog.getByLabel('Name of the new test set').fill('Basics');
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'test-from-reply');
    await dialog.getByRole('button', { name: 'Make a test case' }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    const number = dialog.getByRole('textbox', { name: 'Number' });
    await number.waitFor();
    expect(await dialog.getByLabel('Message 1').inputValue()).toBe('How long is the warranty?');
    expect(await number.inputValue()).toBe('24');
    await dialog.getByRole('button', { name: 'Add check' }).click();
    await dialog.getByRole('textbox', { name: 'Words' }).fill('warranty');
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'test-case');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/States 24 months; States warranty/).waitFor();

    // The gate.
    const testsPath = `${agentPath}/tests`;
    await page.goto(testsPath);
    const gate = page.getByRole('form', { name: 'Publishing requires tests' });
    await gate.getByRole('combobox', { name: 'Test set' }).click();
    await page.getByRole('option', { name: 'Basics' }).click();
    await gate.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The requirement is saved.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'test-sets');

    // A draft that is still wrong.
    await page.goto(`${agentPath}/versions`);
    await page.getByRole('button', { name: 'Edit as a draft' }).click();
    await page.getByText('This is a draft. Visitors talk to the published agent.').waitFor();
    const draftPath = new URL(page.url()).pathname;
    await instruct(page, 'The warranty is 18 months.');
    await runTests(page, testsPath, '0% passed');
    await page.getByRole('button', { name: 'How long is the warranty?' }).click();
    await dialog.getByText('Difference of the answers, word by word').waitFor();
    await dialog.locator('ins').getByText('18').waitFor();
    await dialog.locator('del').getByText('12').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'test-run-case');
    await page.keyboard.press('Escape');
    await photograph(page, 'test-run');
    await page.goto(draftPath);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByText('The tests do not allow to publish this').waitFor();
    expect(await dialog.getByRole('button', { name: 'Publish without passing tests' }).isDisabled()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'publish-blocked');
    await page.keyboard.press('Escape');

    // The fix.
    await instruct(page, 'The warranty is 24 months.');
    await runTests(page, testsPath, '100% passed');
    await page.goto(draftPath);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByLabel('Note').fill('Right warranty');
    await dialog.getByRole('button', { name: 'Publish', exact: true, disabled: false }).click();
    await page.getByText('Right warranty').waitFor();

    // Back to the first version, which the tests do not allow.
    await page.getByRole('button', { name: 'Restore: Version 1' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('This is a draft.').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByLabel('Reason').fill('The contract says so.');
    await dialog.getByRole('button', { name: 'Publish without passing tests' }).click();
    await page.getByText('Published without passing tests: The contract says so.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    // A customer that a model plays.
    await page.goto(testsPath);
    await page.getByRole('link', { name: 'Basics' }).click();
    await page.getByRole('button', { name: 'New case' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).first().fill('Guarantee');
    await dialog.getByLabel('Goal').fill('Know the guarantee');
    await dialog.getByLabel('Manner').fill('impatient');
    await dialog.getByLabel('User id').fill('u-7');
    await dialog.getByRole('textbox', { name: 'Words' }).fill('guarantee');
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, 'test-case-customer');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/States guarantee/).waitFor();
    await runTests(page, testsPath, '50% passed');
    await page.getByRole('button', { name: 'Guarantee' }).click();
    await dialog.getByText('Simulated customer: Know the guarantee').waitFor();
    await dialog.getByText('“Is there a guarantee?”').first().waitFor();

    const phone = await visit(testsPath, { userId: acme.owner.id, viewport: PHONE });
    for (const link of ['Basics', /\d{4}, /]) {
      await phone.getByRole('link', { name: link }).first().click();
      await phone.getByRole('table').first().waitFor();
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
      expect(await accessibilityFaults(phone)).toEqual([]);
    }
  },
);
