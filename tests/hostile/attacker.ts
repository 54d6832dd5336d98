import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

/** A member of a separate organization that sends malicious requests. Texts and bytes are sent raw. */
export async function openAttacker() {
  const organization = await seedOrganization();
  const headers = { 'x-api-key': organization.key, 'content-type': 'application/json' };
  const send = async (path: string, body: BodyInit, more: Record<string, string> = {}, method = 'POST') => {
    const response = await fetch(process.env.TEST_URL + path, { method, body, headers: { ...headers, ...more } });
    return { status: response.status, text: await response.text() };
  };
  const rest = (path: string, body: BodyInit, more?: Record<string, string>) =>
    send(`/api/${organization.slug}${path}`, body, more);
  return {
    organization,
    send,
    rest,
    /** The id of a product to be attacked. */
    product: async (): Promise<string> =>
      JSON.parse((await rest('/products/create', '{"sku": "KEPT", "name": "Kept"}')).text).data.id,
    graphql: (body: BodyInit, more?: Record<string, string>) => send('/graphql', body, more),
    ask: caller(organization.key).graphql,
    /** Number of stored rows of the organization. */
    async stored(): Promise<number> {
      const tables = ['products', 'jobs', 'attributes', 'attribute_sets'];
      const counts = tables.map((table) => `(select count(*) from catalog.${table} where organization_id = $1)`).join(' + ');
      return Number((await database().query(`select ${counts} as n`, [organization.id])).rows[0].n);
    },
  };
}

const inside =
  /\bat .+\.[jt]s:\d+|node_modules|select .+ from |insert into|update "?\w+"? set|violates|constraint|\bpg_|catalog\.\w+|SQLSTATE|(Type|Range|Reference|Driver)\w*(Error|Exception)/i;

/** Assert that a response reveals no internals: no 5xx, no stack trace, no SQL. */
export function expectTame({ status, text }: { status: number; text: string }): void {
  expect({ status: status < 500, text }).toEqual({ status: true, text: expect.not.stringMatching(inside) });
}

/** Assert a rejection in the documented form without internals. */
export function expectRefusal(answer: { status: number; text: string }, statuses = [400]): void {
  expectTame(answer);
  expect(statuses).toContain(answer.status);
  expect(JSON.parse(answer.text)).toEqual({
    success: false,
    message: expect.stringMatching(/^.{1,600}$/s),
    ...missing(answer.text),
  });
}

const missing = (text: string) => ('missingIds' in JSON.parse(text) ? { missingIds: expect.any(Array) } : {});
