import { act, CREATE_COLLECTION, CREATE_ITEM, ITEMS, openContent, UPDATE_ITEM } from './content.ts';

/** `SITE_MIRROR_EDITS=10000` runs the full number. */
const EDITS = Number(process.env.SITE_MIRROR_EDITS ?? 240);
const WRITERS = 6;

const { graph, owner, member, make, siteId } = await openContent();
afterAll(() => graph.close());

/** A generator of pseudo-random numbers below `max`, so that a failure can be repeated. */
function randomOf(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % max;
  };
}

type Item = { id: string; slug: string; fields: object };
interface Mirror {
  cursor: string;
  items: Map<string, Item>;
}

const fields = [
  { name: 'n', type: 'number', required: false, options: [] },
  { name: 'next', type: 'reference', required: false, options: [] },
];

test(
  'a mirror that follows random concurrent edits, pauses, crashes and reads again equals the list at the end',
  async () => {
    const { id: collectionId } = await make(CREATE_COLLECTION, { siteId, input: { name: 'c', slug: 'c', fields } });
    const random = randomOf(7);
    const known = new Map<string, number>();
    let made = 0;
    let left = EDITS;

    const edit = async () => {
      const ids = [...known.keys()];
      const id = ids[random(ids.length || 1)];
      const kind = random(10);
      if (!id || kind < 3) {
        const slug = `i-${++made}`;
        const item = await make(CREATE_ITEM, { collectionId, input: { slug, fields: { n: made } } });
        known.set(item.id, 1);
      } else if (kind < 5) {
        // Another writer may win, or may delete the item.
        const input = { fields: { n: random(1_000) } };
        const refusal = await owner.refusal(UPDATE_ITEM, { id, version: known.get(id), input });
        if (!refusal) known.set(id, known.get(id)! + 1);
      } else if (kind < 8) await owner.refusal(act('publishCollectionItem'), { id });
      else if (kind < 9) await owner.refusal(act('unpublishCollectionItem'), { id });
      else {
        known.delete(id);
        await owner.refusal(act('deleteCollectionItem'), { id });
      }
    };
    const write = async () => {
      while (left-- > 0) await edit();
    };

    const read = async (mirror: Mirror): Promise<boolean> => {
      const { list } = await member.ask(ITEMS, { siteId, collectionId, since: mirror.cursor, perPage: 1 + random(7) });
      for (const { id, slug, fields } of list.nodes) mirror.items.set(id, { id, slug, fields });
      for (const { id } of list.removed) mirror.items.delete(id);
      mirror.cursor = list.meta.cursor;
      return list.meta.hasMore;
    };

    const live: Mirror = { cursor: '0', items: new Map() };
    let stored = { cursor: '0', items: new Map<string, Item>() };
    const follow = async () => {
      while (left > 0) {
        await read(live);
        // Store the state now and then, and lose the newer one in a crash.
        if (random(6) === 0) stored = { cursor: live.cursor, items: new Map(live.items) };
        if (random(12) === 0) Object.assign(live, { cursor: stored.cursor, items: new Map(stored.items) });
        if (random(4) === 0) await new Promise((resolve) => setTimeout(resolve, random(30)));
      }
    };
    await Promise.all([follow(), ...Array.from({ length: WRITERS }, write)]);
    while (await read(live));

    const expected = new Map<string, Item>();
    const everything: Mirror = { cursor: '0', items: expected };
    while (await read(everything));
    const { rows } = await graph.services.pool.query(
      `select id, slug, fields from site_content.items where collection_id = $1 and status = 'published' order by id`,
      [collectionId],
    );
    const sorted = ({ items }: Mirror) => [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(rows.length).toBeGreaterThan(0);
    expect(sorted(live)).toEqual(rows);
    expect(sorted(everything)).toEqual(rows);
    const { list } = await member.ask(ITEMS, { siteId, collectionId });
    expect(list.meta.total).toBe(rows.length);
  },
  EDITS * 500 + 300_000,
);

test('a change of a transaction that commits late is not skipped', async () => {
  const { id: collectionId } = await make(CREATE_COLLECTION, { siteId, input: { name: 'late', slug: 'late', fields } });
  const item = (slug: string) => make(CREATE_ITEM, { collectionId, input: { slug, fields: {} } });
  const changes = async (since: string) =>
    (await owner.ask(ITEMS, { siteId, collectionId, status: 'all', since })).list as { nodes: Item[]; meta: { cursor: string } };
  const { id } = await item('first');

  const client = await graph.services.pool.connect();
  await client.query('begin');
  await client.query(`update site_content.items set slug = 'late' where id = $1`, [id]);
  // A later change of another item waits, so that no reader sees its higher number first.
  const later = item('second');
  const before = await changes('0');
  expect(before.nodes.map(({ slug }) => slug)).toEqual(['first']);
  await client.query('commit');
  client.release();
  await later;
  expect((await changes(before.meta.cursor)).nodes.map(({ slug }) => slug)).toEqual(['late', 'second']);
});
