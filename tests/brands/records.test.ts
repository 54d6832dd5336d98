import { labels, seedLabels } from './labels.ts';

describe.each(labels)('$label records', (words) => {
  const { label, path, sets, longestName, mostHistory } = words;

  test('a record is created once, regardless of case and surrounding spaces', async () => {
    const { post } = await seedLabels(words);
    const first = await post(`${path}/create`, { name: 'Acme Tools' });
    expect(first).toMatchObject({
      status: 200,
      body: { success: true, data: { [label]: { name: 'Acme Tools', slug: 'acme-tools' }, created: true } },
    });
    const record = first.body.data[label];
    expect(Object.keys(record)).toEqual(['id', 'name', 'slug']);
    for (const name of ['ACME tools', ' Acme Tools ', 'acme tools\t']) {
      expect((await post(`${path}/create`, { name })).body).toEqual({ success: true, data: { [label]: record, created: false } });
    }
  });

  test('check reports whether a record with the name exists', async () => {
    const { post } = await seedLabels(words);
    expect((await post(`${path}/check`, { name: 'Acme' })).body).toEqual({ success: true, data: { exists: false } });
    await post(`${path}/create`, { name: 'Acme' });
    expect((await post(`${path}/check`, { name: ' aCME' })).body).toEqual({ success: true, data: { exists: true } });
  });

  test.each([
    ['Müller & Söhne', 'm-ller-s-hne'],
    [' Acme ', '-acme-'],
    ['A--B__C', 'a-b-c'],
    ['3M', '3m'],
  ])('the slug of %j is %j', async (name, slug) => {
    const { post } = await seedLabels(words);
    expect((await post(`${path}/create`, { name })).body.data[label]).toMatchObject({ name, slug });
  });

  test('a name of only hyphens and a taken slug get a timestamp', async () => {
    const { post } = await seedLabels(words);
    const slugOf = async (body: object) => (await post(`${path}/create`, body)).body.data[label].slug;
    expect(await slugOf({ name: '日本' })).toMatch(/^--\d{13}$/);
    expect(await slugOf({ name: 'Acme!' })).toBe('acme-');
    expect(await slugOf({ name: 'Acme?' })).toMatch(/^acme--\d{13}$/);
    expect(await slugOf({ name: 'Chosen', slug: 'acme-' })).toMatch(/^acme--\d{13}$/);
    expect(await slugOf({ name: 'Free', slug: 'my-slug-2' })).toBe('my-slug-2');
    expect(await slugOf({ name: 'Other', slug: '../Any Slug' })).toBe('-any-slug');
    expect(await slugOf({ name: 'Dots', slug: '..' })).toMatch(/^--\d{13}$/);
  });

  test('concurrent creates return one record, and other names get different slugs', async () => {
    const { post } = await seedLabels(words);
    const same = await Promise.all(Array.from({ length: 12 }, () => post(`${path}/create`, { name: 'Acme' })));
    expect(new Set(same.map(({ body }) => body.data[label].id)).size).toBe(1);
    expect(same.filter(({ body }) => body.data.created)).toHaveLength(1);
    const others = await Promise.all([...'!?.:;#'].map((sign) => post(`${path}/create`, { name: `Norrvik${sign}` })));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    expect(new Set(others.map(({ body }) => body.data[label].slug)).size).toBe(6);
  });

  test('a name is required, not blank and not too long', async () => {
    const { post } = await seedLabels(words);
    const refused = [{}, { name: '' }, { name: '  ' }, { name: 3 }, { name: 'x'.repeat(longestName + 1) }];
    for (const operation of ['check', 'create', 'enrichment-history']) {
      for (const body of refused) {
        const answer = await post(`${path}/${operation}`, body);
        expect(answer.status).toBe(400);
        expect(answer.body.message).toMatch(/^Invalid request body: name /);
      }
    }
    expect((await post(`${path}/create`, { name: ' \n' })).body.message).toBe('Invalid request body: name must not be blank');
    expect((await post(`${path}/create`, { name: 'x'.repeat(longestName) })).status).toBe(200);
  });

  test('an unknown name has an empty history, and its pages have a limit', async () => {
    const { post } = await seedLabels(words);
    const history = (body: object) => post(`${path}/enrichment-history`, { name: 'Nobody', ...body });
    expect((await history({})).body).toEqual({
      success: true,
      data: { history: [], pagination: { page: 1, limit: 10, total: 0, totalPages: 0 } },
    });
    expect((await history({ limit: mostHistory })).status).toBe(200);
    expect((await history({ limit: mostHistory + 1 })).status).toBe(400);
    expect((await history({ page: 0 })).status).toBe(400);
  });

  test('records of another organization are invisible', async () => {
    const mine = await seedLabels(words);
    const theirs = await seedLabels(words);
    await theirs.post(`${path}/create`, { name: 'Acme' });
    expect((await mine.post(`${path}/check`, { name: 'Acme' })).body.data.exists).toBe(false);
    expect((await mine.post(`${path}/create`, { name: 'Acme' })).body.data.created).toBe(true);
  });

  test('attribute sets are separate and have no categoryPrompt, and slugs are unique per subject', async () => {
    const { post, addAttribute, api, id } = await seedLabels(words);
    const attributeId = await addAttribute({ slug: 'story', name: 'Story', type: 'text', prompt: 'Tell it.' });
    await addAttribute({ slug: 'story', name: 'Story', type: 'text' }, 'product');
    const create = `mutation ($ids: [ID!]!, $subject: AttributeSubject!) {
      createAttributeSet(name: "Main", subject: $subject, attributeIds: $ids) { id subject }
    }`;
    const { createAttributeSet: set } = await api.graphql(create, { ids: [attributeId], subject: label });
    expect((await post(sets)).body).toEqual({
      success: true,
      data: {
        attributeSets: [
          {
            id: set.id,
            name: 'Main',
            organizationId: id,
            attributeSetAttributes: [
              {
                order: 0,
                attribute: { id: attributeId, name: 'Story', slug: 'story', type: 'text', prompt: 'Tell it.', isActive: true },
              },
            ],
          },
        ],
      },
    });
    expect((await post('/attribute-sets')).body.data.attributeSets).toEqual([]);
    expect(await api.refusal(create, { ids: [attributeId], subject: 'product' })).toEqual({
      code: 'NOT_FOUND',
      message: 'Attribute not found',
    });
  });
});
