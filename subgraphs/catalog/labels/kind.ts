import { readRows } from '../../../platform/database/index.ts';
import { SOURCE_BUDGET } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fitTexts, truncate } from '../../../schema/text.ts';
import { attributesOfJob } from '../attributes/job-attributes.ts';
import { listAttributes } from '../attributes/service.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { type AttributeDefinition, extractValues } from '../enrichment/ask-model.ts';
import { enrichedColumns } from '../enrichment/kind.ts';
import { type Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure, type JobKind } from '../jobs/kind.ts';
import { groundLabel, linkedProducts } from './grounding.ts';
import type { Row } from './rows.ts';
import { createLabel, NEWEST } from './service.ts';
import { type LabelSubject, sameName, subjects } from './subjects.ts';

/** Fills in the attributes of brands or categories, from products that carry their name or from the web. */
const labelEnrichment = (subject: LabelSubject, oneAtATime: string): JobKind => ({
  concurrency: 5,
  prices: { 'budget-v1': { item: 1 }, 'pro-v1': { item: 5 } },
  oneAtATime,
  check: (scope, job) => attributesOfJob(scope, job, subject),

  async process(scope, job, item) {
    const label = item.label!;
    const linked = await linkedProducts(scope, subject, job, label);
    const wanted = await attributesFor(scope, subject, job);
    const { sources, pictures, reference } = await groundLabel(scope, subject, job, { label, linked });
    const existing = job.includeExistingAttributes ? await latestValues(scope, subject, label) : {};
    const record = { ...textsOf(item.inputData ?? {}), name: label };
    const found = await extractValues(scope, job, { subject, attributes: wanted, record, existing, sources, pictures });
    return {
      item: { ...enrichedColumns(job, item, found), referenceData: reference },
      apply: async (inner) => void (await createLabel(inner, subject, { name: label })),
    };
  },
});

export const brandEnrichment = labelEnrichment(
  'brand',
  'A brand enrichment job is already in progress. Please wait for it to complete before starting a new one.',
);
export const categoryEnrichment = labelEnrichment(
  'category',
  'A product-category enrichment job is already in progress. Please wait for it to complete before starting a new one.',
);

async function attributesFor(scope: Scope, subject: LabelSubject, job: Job): Promise<AttributeDefinition[]> {
  const chosen = await attributesOfJob(scope, job, subject);
  if (chosen.length > 0) return chosen;
  const { defaultAttributes } = subjects[subject];
  const hasOwn = (await listAttributes(scope, subject)).length > 0;
  if (hasOwn || defaultAttributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return defaultAttributes;
}

const VALUES = ['id', 'enrichedData'] as const;

async function latestValues(scope: Scope, subject: LabelSubject, label: string): Promise<AttributeValues> {
  const [latest] = await readRows(
    scope,
    JobItem,
    { columns: VALUES, where: { subject, status: 'completed' }, matching: sameName('label', label), ordering: NEWEST },
    { limit: 1, offset: 0 },
  );
  return latest?.enrichedData ?? {};
}

/** Columns of a row that the model receives, characters of their names, and of all their texts. */
const [MAX_COLUMNS, MAX_NAME, MAX_TEXT] = [500, 256, SOURCE_BUDGET / 2];

/** The texts of the row, which the model receives in addition to the name. */
function textsOf(row: Row): Record<string, string> {
  const given = Object.entries(row).filter((each): each is [string, string] => typeof each[1] === 'string');
  const columns = given.slice(0, MAX_COLUMNS);
  const texts = fitTexts(
    columns.map(([, text]) => text),
    MAX_TEXT,
  );
  return Object.fromEntries(columns.map(([name], at) => [truncate(name, MAX_NAME), texts[at]!]));
}
