import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE } from './dashboard.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();

browserTest('an attribute with ordered options and limits is created by keyboard, changed and deleted', async () => {
  const catalog = await seedCatalog([]);
  const page = await visit(`/o/${catalog.slug}/attributes`, { userId: catalog.owner.id });
  await page.getByText('No attributes yet').waitFor();
  await page.getByRole('link', { name: 'New attribute' }).first().click();
  await page.getByLabel('Name').fill('Käse Typ');
  expect(await page.getByLabel('Slug').inputValue()).toBe('kase-typ');
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Several of a list' }).click();
  for (const option of ['Brie', 'Gouda', 'Edam']) {
    await page.getByLabel('New option').fill(option);
    await page.getByLabel('New option').press('Enter');
  }
  await page.getByRole('button', { name: 'Move Edam' }).focus();
  for (const key of ['Space', 'ArrowUp', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  await page.getByLabel('Fewest entries').fill('3');
  await page.getByLabel('Most entries').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A lower limit exceeds its upper limit.').waitFor();
  await page.getByLabel('Fewest entries').fill('1');
  await photograph(page, 'attribute');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Käse Typ' }).click();
  const read = '{ attributes { slug type options constraints { minItems maxItems } } }';
  const { attributes } = await catalog.api.graphql(read);
  expect(attributes).toEqual([
    {
      slug: 'kase-typ',
      type: 'multiselect',
      options: ['Edam', 'Brie', 'Gouda'],
      constraints: { minItems: 1, maxItems: 2 },
    },
  ]);
  await page.getByLabel('Most entries').fill('');
  await page.getByRole('button', { name: 'Remove the option Gouda' }).click();
  // The confirmation of the first save may still be shown.
  const saved = page.waitForResponse((response) => /updateAttribute\b/.test(response.request().postData() ?? ''));
  await page.getByRole('button', { name: 'Save' }).click();
  await saved;
  await page.waitForFunction(() => document.querySelector<HTMLButtonElement>('button[type=submit]')?.disabled);
  const [changed] = (await catalog.api.graphql(read)).attributes;
  expect(changed).toMatchObject({ options: ['Edam', 'Brie'], constraints: { minItems: 1, maxItems: null } });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No attributes yet').waitFor();
});

browserTest('a set is ordered by drag and by keyboard, tried out on a product before it is saved, and saved', async () => {
  const catalog = await seedCatalog([color, weight, { slug: 'finish', name: 'Finish', type: 'text' }]);
  await catalog.addProducts([{ name: 'Oak chair', userProvidedRawDataSources: ['Color: red\nWeight: 4 kg'] }]);
  const page = await visit(`/o/${catalog.slug}/attributes/sets`, { userId: catalog.owner.id });
  await page.getByRole('link', { name: 'New set' }).first().click();
  await page.getByLabel('Name').fill('Chairs');
  for (const name of ['Color', 'Finish', 'Weight']) {
    await page.getByRole('combobox', { name: 'Add an attribute' }).click();
    await page.getByRole('option', { name: new RegExp(`^${name} `) }).click();
  }
  await page.keyboard.press('Escape');
  const members = page.getByRole('list', { name: 'Attributes' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Move Weight', exact: true }).focus();
  for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  await members.nth(1).getByText('Weight').waitFor();
  const [handle, target] = await Promise.all(
    ['Move Finish', 'Move Color'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
  );
  await page.mouse.move(handle!.x + 5, handle!.y + 5);
  await page.mouse.down();
  await page.mouse.move(handle!.x + 5, handle!.y - 20, { steps: 4 });
  await page.mouse.move(target!.x + 5, target!.y - 5, { steps: 8 });
  await page.mouse.up();
  await members.nth(0).getByText('Finish').waitFor();

  await page.getByRole('combobox', { name: 'Product' }).click();
  await page.getByRole('option', { name: /Oak chair/ }).click();
  await page.getByText('This costs at most 1 of your credits.').waitFor();
  await page.getByRole('button', { name: 'Try out' }).click();
  await page.getByText('Color: red').first().waitFor({ timeout: 60_000 });
  await photograph(page, 'attribute-set');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Chairs' }).waitFor();
  await page.getByText('Finish, Color, Weight').waitFor();
  await photograph(page, 'attribute-sets');
  expect(await accessibilityFaults(page)).toEqual([]);
});

browserTest('a member reads attributes on a phone in the dark, and cannot change them', async () => {
  const catalog = await seedCatalog();
  const member = await catalog.addMember('member');
  const page = await visit(`/o/${catalog.slug}/attributes`, { userId: member.id, viewport: PHONE, colorScheme: 'dark' });
  await page.getByRole('link', { name: 'Color' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Color' }).click();
  await page.getByText('Only owners and admins can change attributes.').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await page.getByLabel('Name').isDisabled()).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
});
