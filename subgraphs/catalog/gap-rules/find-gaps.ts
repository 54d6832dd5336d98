import { createHash } from 'node:crypto';
import { clock, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import { Attribute } from '../attributes/entity.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { isSelected, readSelection, type Selection } from '../product-edits/product-selection.ts';
import type { GapEstimate, GapRule, GapRuleInput } from './entity.ts';
import { priceOf, readInput } from './service.ts';

/** Products of one statement. Each may have a megabyte of sources. */
const PAGE = 1_000;
/** Products among which the selected ones of a page are looked for, so that no statement passes a large catalog. */
const WINDOW = 50_000;
/** Milliseconds in which a check or an estimate reads pages. The next check continues. */
const CHECK_MS = 2_000;

/** The attributes and products of a rule, and the request that it makes to models. */
type Options = Pick<GapRule, 'selection' | 'modelType' | 'websearch' | 'agreement' | 'attributeSetId' | 'attributeIds'>;

/** A gap counts as tried when a model of the tier has read the same sources for the same definition of the attribute. */
function hashOf(attribute: Attribute, { modelType, websearch, agreement }: Options): string {
  const { id, name, slug, type, unit, prompt, categoryPrompt, options, examples, constraints } = attribute;
  const definition = { id, name, slug, type, unit, prompt, categoryPrompt, options, examples, constraints };
  const text = JSON.stringify({ ...definition, modelType, websearch, agreement });
  return createHash('sha256').update(text).digest().readBigInt64BE().toString();
}

export interface RuleAttributes {
  ids: string[];
  slugs: string[];
  hashes: string[];
}

/** The active attributes of a rule. Those that were deleted are left out. */
export async function wantedOf(scope: Scope, rule: Options): Promise<RuleAttributes> {
  const { attributeIds, attributeSetId } = rule;
  const attributes = attributeIds
    ? await scope.em.find(Attribute, { id: { $in: attributeIds }, subject: 'product', isActive: true })
    : await chooseAttributes(scope, attributeSetId).catch((error) => {
        if (codeOf(error) === 'NOT_FOUND') return [];
        throw error;
      });
  return {
    ids: attributes.map(({ id }) => id),
    slugs: attributes.map(({ slug }) => slug),
    hashes: attributes.map((attribute) => hashOf(attribute, rule)),
  };
}

/** SQL of the hashes of the attributes for which the product `r` has no value. Linear in both. */
export const missing = ({ slugs, hashes }: Pick<RuleAttributes, 'slugs' | 'hashes'>) => sql`
  select w.hash from unnest(${slugs}::text[], ${hashes}::bigint[]) w (slug, hash)
    left join unnest(r.value_keys) has (key) on has.key = hashtextextended(w.slug, 0) where has.key is null`;

/** Leaves archived products out. */
const selectionOf = ({ selection: { words, brand, category: categoryBelow, attributes, parents: parentFilter } }: Options) => ({
  filter: { words, brand, categoryBelow, attributes },
  parentFilter,
});

export interface Candidate {
  id: string;
  isParent: boolean;
  inputs: string;
  gaps: number;
}

/** Those of the products that lack a value which nobody has tried to find in their sources of now, in the order of `ids`. */
function candidates(scope: Scope, rule: Options, wanted: RuleAttributes, ids: string[], limit: number): Promise<Candidate[]> {
  return query(
    scope.em,
    sql<Candidate>`
      select r.id, r.is_parent as "isParent", x.inputs::text, cardinality(gap.hashes) as gaps
        from unnest(${ids}::uuid[]) with ordinality given (id, n) join catalog.products r on r.id = given.id
       cross join lateral (select array(${missing(wanted)}) as hashes offset 0) gap
       cross join lateral (select case when cardinality(gap.hashes) > 0 then catalog.gap_inputs(r.id) end as inputs offset 0) x
       where ${isSelected(scope, { given: selectionOf(rule) })} and cardinality(gap.hashes) > 0
         and exists (
           select unnest(gap.hashes) except
           select unnest(j.gap_attributes) from catalog.job_items i join catalog.jobs j on j.id = i.job_id
            where i.product_id = r.id and i.gap_inputs = x.inputs)
       order by given.n limit ${limit}`,
  );
}

interface Position {
  at: string;
  id: string;
}

interface Page {
  products: Position[];
  /** Where the next page begins. Null if no product is left. */
  end: Position | null;
}

/** The next selected products in the order of their creation: of a window of all products, because few may be selected. */
async function pageAfter(scope: Scope, selection: Selection, after: Position | null): Promise<Page> {
  const { em, organizationId } = scope;
  const all = sql`r.organization_id = ${organizationId} and not r.archived
    and (${after === null}::boolean or (r.created_at, r.id) > (${after?.at ?? 'epoch'}::timestamptz, ${after?.id ?? null}::uuid))`;
  const position = sql`r.created_at::text as at, r.id`;
  const order = sql`order by r.created_at, r.id`;
  const [end = null] = selection.rare
    ? []
    : await query(em, sql<Position>`select ${position} from catalog.products r where ${all} ${order} offset ${WINDOW - 1} limit 1`);
  const selected = isSelected(scope, selection);
  const products = await query(
    em,
    sql<Position>`select ${position} from catalog.products r where ${selected} and ${all}
           and (${end === null}::boolean or (r.created_at, r.id) <= (${end?.at ?? 'epoch'}::timestamptz, ${end?.id ?? null}::uuid))
         ${order} limit ${PAGE}`,
  );
  return { products, end: products.length === PAGE ? products.at(-1)! : end };
}

/** Says how much a rule would read if it started jobs now. */
export async function estimateGaps(scope: Scope, input: GapRuleInput): Promise<GapEstimate> {
  const rule = await readInput(scope, input);
  const wanted = await wantedOf(scope, rule);
  const selection = await readSelection(scope, selectionOf(rule));
  const estimate: GapEstimate = { products: 0, gaps: 0, credits: 0, checked: 0, isComplete: false };
  const end = clock.ms() + CHECK_MS;
  let after: Position | null = null;
  do {
    const page: Page = await pageAfter(scope, selection, after);
    const ids = page.products.map(({ id }) => id);
    const found = await candidates(scope, rule, wanted, ids, PAGE);
    estimate.checked += ids.length;
    estimate.products += found.length;
    for (const { gaps, isParent } of found) {
      estimate.gaps += gaps;
      estimate.credits += priceOf(rule, isParent);
    }
    estimate.isComplete = page.end === null;
    after = page.end;
  } while (!estimate.isComplete && clock.ms() < end);
  return estimate;
}

/** Columns of a rule that only its checks read. */
interface Progress {
  isScanning: boolean;
  scannedAt: string | null;
  scannedId: string | null;
  scannedDay: string | null;
  attributesHash: string | null;
  changesAfter: string;
  shownJobId: string | null;
}

export interface CheckedRule extends Omit<GapRule, keyof Progress>, Progress {
  /** Changes with every write to the rule. */
  version: string;
}

/** The products of the next job, and the progress of the rule. */
export interface NextProducts {
  products: Candidate[];
  progress: Omit<Progress, 'shownJobId'>;
}

/** Looks for the next products with gaps, for a bounded time. */
export async function findProducts(
  scope: Scope,
  rule: CheckedRule,
  wanted: RuleAttributes,
  room: number,
  lastChange: number,
): Promise<NextProducts> {
  const attributesHash = createHash('sha256').update(wanted.hashes.toSorted().join()).digest('hex');
  const scannedDay = clock.now().toISOString().slice(0, 10);
  const { triggers } = rule;
  const isDue =
    rule.isScanning ||
    (triggers.includes('nightly') && rule.scannedDay !== scannedDay) ||
    (triggers.includes('attributes-changed') && rule.attributesHash !== attributesHash);
  // Changes since the beginning of the check of all products are read after it.
  if (isDue) return scan(scope, rule, wanted, room, { scannedDay, attributesHash, changesAfter: String(lastChange) });
  return triggers.includes('product-changed')
    ? readChanged(scope, rule, wanted, room, lastChange)
    : { products: [], progress: rule };
}

type Seen = Pick<Progress, 'scannedDay' | 'attributesHash' | 'changesAfter'>;

/** Looks at all products, a page at a time. */
async function scan(scope: Scope, rule: CheckedRule, wanted: RuleAttributes, room: number, seen: Seen): Promise<NextProducts> {
  const end = clock.ms() + CHECK_MS;
  const products: Candidate[] = [];
  let after = rule.scannedAt && rule.scannedId ? { at: rule.scannedAt, id: rule.scannedId } : null;
  const begun = after ? rule : seen;
  let isOver = false;
  do {
    const page: Page = await pageAfter(scope, { given: selectionOf(rule) }, after);
    const ids = page.products.map(({ id }) => id);
    const found = await candidates(scope, rule, wanted, ids, room - products.length);
    products.push(...found);
    const isFull = products.length === room;
    isOver = !isFull && page.end === null;
    after = (isFull ? page.products.find(({ id }) => id === found.at(-1)?.id) : page.end) ?? after;
  } while (!isOver && products.length < room && clock.ms() < end);
  const { scannedDay, attributesHash, changesAfter } = begun;
  const position = isOver ? { scannedAt: null, scannedId: null } : { scannedAt: after!.at, scannedId: after!.id };
  return { products, progress: { isScanning: !isOver, ...position, scannedDay, attributesHash, changesAfter } };
}

/** Looks at the products that changed since the last check, and at the parents of those. */
async function readChanged(
  scope: Scope,
  rule: CheckedRule,
  wanted: RuleAttributes,
  room: number,
  lastChange: number,
): Promise<NextProducts> {
  const end = clock.ms() + CHECK_MS;
  const products: Candidate[] = [];
  let after = rule.changesAfter;
  let isOver = false;
  do {
    const changed = await query(
      scope.em,
      sql<{ id: string; parentId: string | null; number: string }>`
        select c.record_id as id, p.parent_id as "parentId", c.number from catalog.changes c left join catalog.products p on p.id = c.record_id
         where c.organization_id = ${scope.organizationId} and c.number > ${after} and c.number <= ${lastChange}
           and c.subject = 'product' and not c.deleted
         order by c.number limit ${PAGE}`,
    );
    const known = new Set(products.map(({ id }) => id));
    const ids = [...new Set(changed.flatMap(({ id, parentId }) => (parentId ? [id, parentId] : [id])))];
    const found = await candidates(
      scope,
      rule,
      wanted,
      ids.filter((id) => !known.has(id)),
      room - products.length,
    );
    products.push(...found);
    const isFull = products.length === room;
    isOver = !isFull && changed.length < PAGE;
    const last = found.at(-1)?.id;
    // The change of the last product is read again, because its parent may be among the products that had no room.
    const stopped = changed.findIndex(({ id, parentId }) => id === last || parentId === last);
    after = (isFull ? changed[stopped - 1]?.number : changed.at(-1)?.number) ?? after;
  } while (!isOver && products.length < room && clock.ms() < end);
  return { products, progress: { ...rule, changesAfter: isOver ? String(lastChange) : after } };
}
