import { query, sql } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import { readAttributeValues } from '../attributes/read-values.ts';
import type { ImportData, ImportDetails } from './data.ts';
import { ImportItem } from './entity.ts';
import { withDuplicates } from './insert-items.ts';
import { findImportItem } from './service.ts';
import type { ImportAnswer, ImportItemChange } from './types.ts';

/**
 * Changes an import item before it becomes a product. A failed item becomes pending again. Throws `NOT_FOUND` for an unknown item,
 * `INVALID_INPUT` for an answer that does not fit its question, and `UNPROCESSABLE` for an imported item.
 */
export async function updateImportItem(scope: Scope, id: string, { answers, ...change }: ImportItemChange): Promise<ImportItem> {
  const known = await findImportItem(scope, id);
  const contents = await readContents(scope, known, answers ?? []);
  return transaction(scope, async ({ em }) => {
    // Finalizing locks the job as well, so an item cannot change while it is being imported.
    await query(em, sql`select id from catalog.jobs where id = ${known.jobId} for update`);
    const item = await em.findOneOrFail(ImportItem, id, { refresh: true });
    if (item.status === 'completed') throw fail('UNPROCESSABLE', 'The item is already imported. Change its product instead.');
    let [data, details] = [item.data, item.details];
    for (const answer of answers ?? []) ({ data, details } = answered(data, details, answer, contents));
    const sent = Object.entries(change).filter(([, value]) => value !== undefined);
    data = { ...data, ...Object.fromEntries(sent) };
    if (change.name) details = without(details, 'name');
    const questionCount = details.questions.length;
    Object.assign(item, { data, details, questionCount, name: data.name, sku: data.sku, status: 'pending', errorMessage: null });
    return item;
  });
}

const questionOf = ({ questions }: ImportDetails, key: string) => {
  const question = questions.find((each) => each.key === key);
  if (!question) throw fail('INVALID_INPUT', `the item has no open question ${key}`);
  return question;
};

/** The answers about values, checked and with clean HTML, by slug. */
async function readContents(scope: Scope, { details }: ImportItem, answers: readonly ImportAnswer[]) {
  const values = answers.flatMap(({ key, answer = null }) => {
    const { slug, attributeId, attributeName, attributeType } = questionOf(details, key);
    return slug && answer !== null ? [[slug, { attributeId, attributeName, attributeType, value: answer }] as const] : [];
  });
  const [read = {}] = await readAttributeValues(scope, [Object.fromEntries(values)], { path: 'answers' });
  return new Map(Object.entries(read).map(([slug, { value }]) => [slug, value]));
}

interface Content {
  data: ImportData;
  details: ImportDetails;
}

const without = (details: ImportDetails, key: string): ImportDetails => ({
  ...details,
  questions: details.questions.filter((question) => question.key !== key),
});

function answered(
  data: ImportData,
  details: ImportDetails,
  { key, answer = null }: ImportAnswer,
  contents: ReadonlyMap<string, AttributeContent>,
): Content {
  const { kind, slug, column, cell, attributeId, attributeName, attributeType } = questionOf(details, key);
  if (kind === 'duplicate') return chosen(data, details, answer);
  const rest = without(details, key);
  if (kind === 'name') {
    if (typeof answer !== 'string' || answer.trim() === '' || answer.length > 256)
      throw fail('INVALID_INPUT', 'the name must have 1 to 256 characters');
    return { data: { ...data, name: answer.trim() }, details: rest };
  }
  if (answer === null || !slug) return { data, details: rest };
  const about = { attributeId: attributeId!, attributeName: attributeName!, attributeType: attributeType! };
  const value = { slug, column, cell, ...about, value: contents.get(slug)! };
  const source = rest.source.filter((each) => each.column !== column);
  return { data, details: { ...rest, values: [...rest.values, value], source } };
}

/** Takes the content of one of the rows that state the product. The other rows are no longer considered. */
function chosen(data: ImportData, details: ImportDetails, row: AttributeContent): Content {
  const other = details.others.find((each) => each.row.row === row);
  if (!other && details.rows[0]?.row !== row) throw fail('INVALID_INPUT', 'answer must be the number of one of the rows');
  if (!other) return { data, details: withDuplicates({ ...details, others: [] }, null) };
  const { values, source, questions, empty } = other;
  const rows = [other.row, ...details.rows.filter((each) => each.row !== row)];
  return { data: { ...other.data, sku: data.sku }, details: { rows, values, source, questions, empty, others: [] } };
}
