import { randomUUID } from 'node:crypto';
import { database } from '../support/seed.ts';
import type { Maker } from './tenant-maker.ts';

type Label = 'Brand' | 'Category';
export type LabelId =
  | Uncapitalize<Label>
  | `${'other' | 'spare'}${Label}`
  | `${Uncapitalize<Label>}${'Attribute' | 'AttributeSet' | 'Job'}`;

/** A brand or category with attributes, an entered value and a job, and two others to merge. */
export async function seedLabel(
  organizationId: string,
  label: string,
  name: string,
  { graphql, idOf }: Maker,
): Promise<Record<string, string>> {
  const subject = label.toLowerCase();
  const kind = label === 'Brand' ? 'BrandEnrichmentJob' : 'ProductCategoryEnrichmentJob';
  const create = async (of: string): Promise<string> => {
    const text = `mutation ($of: String!) { made: create${label}(name: $of) { ${subject} { id } } }`;
    return (await graphql(text, { of })).made[subject].id;
  };
  const created = await create(name);
  const [other, spare] = [await create(`${name} other`), await create(`${name} spare`)];
  await database().query(
    `insert into catalog.label_values (organization_id, subject, key, slug, value)
     values ($1, $2, catalog.name_key($3), 'story', jsonb_build_object('attributeName', $3::text, 'attributeType', 'text', 'value', $3::text))`,
    [organizationId, subject, name],
  );
  const attribute = await idOf(
    `mutation ($name: String!) { made: createAttribute(input: { subject: ${subject}, name: $name, slug: "story", type: text }) { id } }`,
    { name },
  );
  const set = await idOf(
    `mutation ($name: String!, $attribute: ID!) { made: createAttributeSet(name: $name, subject: ${subject}, attributeIds: [$attribute]) { id } }`,
    { name, attribute },
  );
  const job = await idOf(
    `mutation ($rows: [JSONObject!]!) { made: create${kind}(input: { rows: $rows, inputColumns: ["name"], useWebsearch: false }) { id } }`,
    { rows: [{ name }] },
  );
  return {
    [subject]: created,
    [`other${label}`]: other,
    [`spare${label}`]: spare,
    [`${subject}Attribute`]: attribute,
    [`${subject}AttributeSet`]: set,
    [`${subject}Job`]: job,
  };
}

/** A rename that is not finished. Its subject is none of those that can be renamed, so that it holds up no operation. */
export const seedMove = (organizationId: string, name: string) =>
  database().query(
    `insert into catalog.label_moves (id, organization_id, subject, from_key, from_name, to_key, to_name, levels, is_merge, total, moved)
     values (gen_random_uuid(), $1, 'none', catalog.name_key($2), $2, catalog.name_key($2), $2, 1, false, 1, 0)`,
    [organizationId, name],
  );

/** A value in review, its source, a rule that accepts such values, and an idempotent create. */
export async function seedReview(organizationId: string, name: string, jobId: string): Promise<{ item: string; rule: string }> {
  const { rows } = await database().query('select id, product_id from catalog.job_items where job_id = $1', [jobId]);
  const [{ id, product_id: productId }] = rows;
  const proposed = JSON.stringify({ attributeId: null, attributeName: name, attributeType: 'text', value: name });
  const insert = (statement: string, ...values: unknown[]) =>
    database().query(`insert into ${statement}`, [organizationId, ...values]);
  await insert(
    'catalog.proposals (organization_id, item_id, slug, job_id, product_id, confidence, proposed) values ($1, $2, $3, $4, $5, 50, $6)',
    ...[id, name, jobId, productId, proposed],
  );
  await insert(
    `catalog.confidence_labels (organization_id, item_id, slug, tier, stated, confidence, is_right, kind)
     values ($1, $2, $3, 'budget-v1', 50, 50, true, 'review')`,
    ...[id, name],
  );
  await insert('catalog.acceptance_settings (organization_id, precision) values ($1, 0.9) on conflict do nothing');
  const rule = randomUUID();
  await insert(
    `catalog.acceptance_rules (organization_id, id, tier, slug, precision, version, threshold, judged, "right")
     values ($1, $2, 'budget-v1', $3, 0.9, 1, 80, 100, 99)`,
    ...[rule, name],
  );
  await insert(
    `catalog.examples (organization_id, product_id, category_key, buckets) values ($1, $2, gen_random_uuid(), '{}') on conflict do nothing`,
    productId,
  );
  await insert(
    `catalog.value_changes (organization_id, id, product_id, slug, user_id, before)
     values ($1, gen_random_uuid(), $2, $3, gen_random_uuid(), '{"attributeType": "text", "value": "red"}')`,
    ...[productId, name],
  );
  await insert('catalog.source_texts (organization_id, hash, text) values ($1, $2, $2) on conflict do nothing', name);
  await insert(
    `catalog.item_sources (organization_id, item_id, place, job_id, product_id, kind, hash) values ($1, $2, 100, $3, $4, 'text', $5)`,
    ...[id, jobId, productId, name],
  );
  await insert(
    `identity.idempotency_keys (organization_id, hash, request, holder) values ($1, sha256(convert_to($2, 'UTF8')), '', gen_random_uuid())`,
    name,
  );
  return { item: id, rule };
}

/** A picture of a product that is too large to be read. */
export async function seedPicture(organizationId: string, name: string, productId: string): Promise<string> {
  const { rows } = await database().query(
    `insert into catalog.product_images (organization_id, id, product_id, url, source_url, mime, bytes, content_hash)
     values ($1, gen_random_uuid(), $2, 'https://pictures.example.com/1.png', 'https://pictures.example.com', 'image/png', 2000000, $3) returning id`,
    [organizationId, productId, name],
  );
  return rows[0].id;
}

/** A stored document. A source takes it, or a mutation. */
export async function seedDocument(organizationId: string, name: string, kept = false): Promise<string> {
  const insert = `insert into catalog.files (organization_id, name, mime, bytes, hash, kept, created_by_id)
    values ($1, $2, 'text/plain', 100, '\\x01', $3, gen_random_uuid()) returning id`;
  const [{ id }] = (await database().query(insert, [organizationId, `${name}.txt`, kept])).rows;
  await database().query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $2)', [id, name]);
  return id;
}

/** A file with an import of it, and two unused files. */
export async function seedImport(organizationId: string, name: string, { idOf }: Maker) {
  const file = async (ready: boolean): Promise<string> => {
    const insert = `insert into catalog.files (organization_id, name, mime, bytes, ready, created_by_id)
      values ($1, $2, 'text/csv', 100, $3, gen_random_uuid()) returning id`;
    const [{ id }] = (await database().query(insert, [organizationId, name, ready])).rows;
    await database().query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $2)', [
      id,
      `SKU,Name\nI-1,${name}`,
    ]);
    return id;
  };
  const [taken, draft, other] = await Promise.all([file(true), file(false), file(false)]);
  const page = {
    kind: 'table',
    name,
    columns: ['SKU', 'Name'],
    rows: [
      ['I-1', name],
      ['I-1', name],
    ],
    first: 1,
    numbers: [2, 3],
    marks: [null, null],
  };
  await database().query('insert into catalog.file_pages (file_id, place, content) values ($1, 0, $2)', [
    taken,
    JSON.stringify(page),
  ]);
  const importJob = await idOf(
    'mutation ($file: ID!) { made: createAiImportJob(input: { uploadedFileIds: [$file], modelType: "budget-v1" }) { id } }',
    { file: taken },
  );
  const importMapping = await idOf(
    'mutation ($name: String!) { made: saveImportMapping(input: { supplier: $name, columns: [{ column: "SKU", field: sku }] }) { id } }',
    { name },
  );
  return { file: taken!, draft: draft!, otherDraft: other!, importJob, importMapping };
}
