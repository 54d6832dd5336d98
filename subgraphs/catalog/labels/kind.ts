import { readRows } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { listAttributes } from '../attributes/service.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { valuesOf } from '../enrichment/apply.ts';
import { fillAttributes } from '../enrichment/fill.ts';
import type { Fillable } from '../enrichment/found.ts';
import { attributesOfJob } from '../jobs/attributes.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import { JobItem } from '../jobs/item-entity.ts';
import type { Kind } from '../jobs/kind.ts';
import { prices } from '../jobs/prices.ts';
import { groundLabel, linkedProducts } from './grounding.ts';
import type { Row } from './rows.ts';
import { createLabel, NEWEST } from './service.ts';
import { type LabelSubject, sameName, subjects } from './subjects.ts';

/** Fill in the attributes of brands or categories, from the products that carry their name or from the web. */
export const labelEnrichment = (subject: LabelSubject): Kind => ({
  concurrency: 5,
  check: (scope, job) => attributesOfJob(scope, job, subject),
  price: async (_scope, { kind, modelType }) => prices[kind][modelType].product,

  async process(scope, job, item) {
    const label = item.label!;
    const products = await linkedProducts(scope, subject, job, label);
    const wanted = await attributesFor(scope, subject, job);
    const { sources, pictures, reference } = await groundLabel(scope, subject, job, { label, products });
    const existing = job.includeExistingAttributes ? await latestValues(scope, subject, label) : {};
    const record = { ...textsOf(item.inputData ?? {}), name: label };
    const found = await fillAttributes(scope, job, { subject, attributes: wanted, record, existing, sources, pictures });
    return {
      item: { ...valuesOf(job, item, found), referenceData: reference },
      apply: async (inner) => void (await createLabel(inner, subject, { name: label })),
    };
  },
});

async function attributesFor(scope: Scope, subject: LabelSubject, job: Job): Promise<Fillable[]> {
  const chosen = await attributesOfJob(scope, job, subject);
  if (chosen.length > 0) return chosen;
  const { defaultAttributes } = subjects[subject];
  const hasOwn = (await listAttributes(scope, subject)).length > 0;
  if (hasOwn || defaultAttributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return defaultAttributes;
}

async function latestValues(scope: Scope, subject: LabelSubject, label: string): Promise<AttributeValues> {
  const [latest] = await readRows(
    scope,
    JobItem,
    { where: { subject, status: 'completed' }, matching: sameName('label', label), ordering: NEWEST },
    { limit: 1, offset: 0 },
  );
  return latest?.enrichedData ?? {};
}

/** What the row says beside the name is told to the model as it stands. */
const textsOf = (row: Row): Record<string, string> =>
  Object.fromEntries(Object.entries(row).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
