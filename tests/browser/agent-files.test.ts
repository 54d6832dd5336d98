import { pdf } from '../agent/sources/documents.ts';
import { openAgent } from '../agent/sources/support.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();
const agent = await openAgent();
const sources = `/o/${agent.organization.slug}/agents/${agent.agentId}/sources`;
const userId = agent.organization.owner.id;

const manual = (text: string) => ({ name: 'manual.pdf', mimeType: 'application/pdf', buffer: pdf([['Lamps'], [text]]) });
const hours = { name: 'hours.md', mimeType: '', buffer: Buffer.from('# Opening hours\n\nNine to five.') };

browserTest('files become sources by keyboard, each with its progress or its fault, and retrieval names the page', async () => {
  const page = await visit(sources, { userId });
  await page.getByRole('button', { name: 'Upload files' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Upload files' });
  expect(await accessibilityFaults(page)).toEqual([]);
  const choose = dialog.getByRole('button', { name: 'Choose files' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.press('Enter')]);
  await chooser.setFiles([
    manual('The warranty is two years.'),
    hours,
    { ...manual(''), name: 'broken.pdf', buffer: Buffer.from('Lamps') },
  ]);
  await dialog.getByText('broken.pdf: the content of the file does not match its name').waitFor();
  await dialog.getByText('Uploaded').nth(1).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'agent-files');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().press('Enter');
  for (const name of ['manual.pdf', 'hours.md']) await page.getByRole('row', { name }).getByText('Ready').waitFor();
  await page.getByRole('img', { name: 'File' }).first().waitFor();

  await page.getByRole('button', { name: 'Test retrieval' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Question').fill('How long is the warranty?');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: '1. manual.pdf, page 2' }).waitFor();
});

browserTest('a file is downloaded, and replaced by a newer version', async () => {
  const page = await visit(sources, { userId });
  await page.getByRole('button', { name: /manual\.pdf/ }).press('Enter');
  const drawer = page.getByRole('dialog', { name: 'manual.pdf' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    drawer.getByRole('link', { name: 'Download' }).press('Enter'),
  ]);
  expect(download.suggestedFilename()).toBe('manual.pdf');
  expect(await accessibilityFaults(page)).toEqual([]);
  const replace = drawer.getByRole('button', { name: 'Replace file' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), replace.press('Enter')]);
  await chooser.setFiles({ ...manual('The warranty is five years.'), name: 'manual-2.pdf' });
  await page.getByText('The new file is being read.').waitFor();
  await page.getByRole('dialog', { name: 'manual-2.pdf' }).getByText('Ready').waitFor();
  expect((await agent.ask('How long is the warranty?')).passages[0]).toMatchObject({
    text: 'The warranty is five years.',
    page: 2,
  });
});

browserTest('files that are dropped on the list upload at once, also on a phone, and others are named', async () => {
  const page = await visit(sources, { userId, viewport: PHONE });
  await page.getByRole('button', { name: 'Upload files' }).waitFor();
  const drop = async (name: string) => {
    const dataTransfer = await page.evaluateHandle((fileName) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Lamps are sold in pairs.'], fileName));
      return transfer;
    }, name);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer });
    await page.getByText('Drop the files to add them as sources').dispatchEvent('drop', { dataTransfer });
  };
  await drop('lamps.exe');
  await page.getByText('These files cannot be sources: lamps.exe.').waitFor();
  await drop('lamps.txt');
  const dialog = page.getByRole('dialog', { name: 'Upload files' });
  await dialog.getByText('Uploaded').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /lamps\.txt/ }).waitFor();
});
