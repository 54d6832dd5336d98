import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { WriteValuesMutation } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { useSentence } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Definition } from '../../values/definitions.ts';
import { type Content, isEmpty } from '../../values/format.ts';
import { isGridField, type Unsaved } from './grid-cells.ts';
import { slugOf } from './list-columns.tsx';

const WRITE = graphql(`
  mutation WriteValues($products: [ProductUpsert!]!, $checksLimits: Boolean!, $slugs: [String!]!) {
    upsertProducts(matchBy: sku, products: $products, checksLimits: $checksLimits) {
      outcome message faults { slug message } changedFields
      product {
        id updatedAt name sku brand category manufacturer mpn uom externalId
        completeness { percent } listedValues(slugs: $slugs) { values cut }
      }
    }
  }
`);

/** A change of one value or field of a product. */
export interface Change {
  product: { id: string };
  /** The key of the column. */
  key: string;
  /** The value that the reader saw before. */
  before: Content;
  after: Content;
}

/** The unsaved cells of a product, by the keys of their columns. */
export type UnsavedCells = Readonly<Record<string, Unsaved>>;

/** Whether two contents mean the same value. Empty ones do. */
export const isSameContent = (one: Content, other: Content): boolean =>
  (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other);
const MAX_STEPS = 100;

interface Steps {
  undo: Change[][];
  redo: Change[][];
}

interface Options {
  /** The attributes of the list. */
  slugs: readonly string[];
  definitions: ReadonlyMap<string, Definition>;
}

/**
 * Saves values optimistically, one request after the other. A value that somebody else changed meanwhile stays, and the cell says so. Each
 * save can be undone, and the undo repeated.
 */
export function useValueEdits({ slugs, definitions }: Options) {
  const client = useClient();
  const sentence = useSentence();
  const { productGrid: words } = useStrings();
  const [cells, setCells] = useState<ReadonlyMap<string, UnsavedCells>>(new Map());
  const [steps, setSteps] = useState<Steps>({ undo: [], redo: [] });
  const current = useRef(steps);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const turn = useRef<Promise<void>>(Promise.resolve());
  const isOpen = useRef(true);
  function keep(next: Steps) {
    current.current = next;
    setSteps(next);
  }
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  const mark = useCallback((marks: readonly { id: string; key: string; cell?: Unsaved }[]) => {
    setCells((known) => {
      const next = new Map(known);
      for (const { id, key, cell } of marks) {
        const { [key]: _, ...others } = next.get(id) ?? {};
        const ofProduct = cell ? { ...others, [key]: cell } : others;
        if (Object.keys(ofProduct).length > 0) next.set(id, ofProduct);
        else next.delete(id);
      }
      return next;
    });
  }, []);

  /** Sends the changes in one request. Resolves to those that were saved. */
  const send = async (changes: readonly Change[], checksLimits: boolean): Promise<Change[]> => {
    const byProduct = [...Map.groupBy(changes, ({ product }) => product.id).values()];
    const valuesOf = (ofProduct: readonly Change[], side: 'before' | 'after') =>
      Object.fromEntries(
        ofProduct.flatMap((change) => {
          const slug = slugOf(change.key);
          const { type: attributeType } = definitions.get(change.key)!;
          return slug === undefined ? [] : [[slug, { attributeType, value: change[side] ?? null }] as const];
        }),
      );
    const fieldsOf = (ofProduct: readonly Change[], side: 'before' | 'after') =>
      Object.fromEntries(ofProduct.flatMap((change) => (isGridField(change.key) ? [[change.key, change[side] ?? null]] : [])));
    const products = byProduct.map((ofProduct) => ({
      ...fieldsOf(ofProduct, 'after'),
      id: ofProduct[0]!.product.id,
      expectedFields: fieldsOf(ofProduct, 'before'),
      attributes: valuesOf(ofProduct, 'after'),
      expectedAttributes: valuesOf(ofProduct, 'before'),
    }));
    const { data, error } = await client
      .mutation(WRITE, { products, checksLimits, slugs: [...slugs] }, { keep: true, quiet: true })
      .toPromise();
    if (!isOpen.current) return [];
    if (!data) {
      const message = sentence(error as CombinedError);
      mark(changes.map(({ product: { id }, key, after }) => ({ id, key, cell: { value: after, state: 'refused', message } })));
      return [];
    }
    const results = byProduct.map((ofProduct, at) => ({ ofProduct, result: data.upsertProducts[at]! }));
    mark(results.flatMap(({ ofProduct, result }) => ofProduct.map((change) => markOf(change, result, words.rowNotSaved))));
    return results.flatMap(({ ofProduct, result }) => (isSaved(result) ? ofProduct : []));
  };

  /** Shows the values at once, and saves them after earlier ones. Resolves to the number of saved values. */
  async function save(changes: readonly Change[], { checksLimits = true, remembers = true } = {}): Promise<number> {
    const wanted = changes.filter(({ before, after }) => !isSameContent(before, after));
    if (wanted.length === 0) return 0;
    mark(wanted.map(({ product: { id }, key, after }) => ({ id, key, cell: { value: after, state: 'saving' } })));
    const saving = queue.current.then(() => send(wanted, checksLimits));
    queue.current = saving.catch(() => {});
    const saved = await saving;
    if (remembers && saved.length > 0) keep({ undo: [...current.current.undo, saved].slice(-MAX_STEPS), redo: [] });
    return saved.length;
  }

  const reversed = (changes: readonly Change[]) =>
    changes.map((change) => ({ ...change, before: change.after, after: change.before }));

  /** One step after the other, because a step ends when it is saved. */
  function step(from: 'undo' | 'redo'): Promise<void> {
    turn.current = turn.current.then(() => run(from)).catch(() => {});
    return turn.current;
  }
  async function run(from: 'undo' | 'redo'): Promise<void> {
    // The last edit may not be saved yet.
    await queue.current;
    const changes = current.current[from].at(-1);
    if (!changes) return;
    const to = from === 'undo' ? 'redo' : 'undo';
    keep({ ...current.current, [from]: current.current[from].slice(0, -1) });
    // Limits count for what a person enters, not for what was there.
    await save(from === 'undo' ? reversed(changes) : changes, { checksLimits: false, remembers: false });
    keep({ ...current.current, [to]: [...current.current[to], changes] });
  }

  return {
    cells,
    save,
    undo: () => step('undo'),
    redo: () => step('redo'),
    canUndo: steps.undo.length > 0,
    canRedo: steps.redo.length > 0,
    /** Give up an unsaved value, and show the stored one. */
    discard: (id: string, key: string) => mark([{ id, key }]),
    hasUnsaved: cells.size > 0,
    isSaving: [...cells.values()].some((ofProduct) => Object.values(ofProduct).some(({ state }) => state === 'saving')),
  };
}

type Result = WriteValuesMutation['upsertProducts'][number];

const isSaved = ({ outcome }: Result) => outcome === 'updated' || outcome === 'unchanged' || outcome === 'created';

function markOf({ product: { id }, key, after }: Change, result: Result, rowNotSaved: string) {
  if (isSaved(result)) return { id, key };
  const fault = result.faults.find((each) => each.slug === slugOf(key));
  const isFaulty = fault !== undefined || result.changedFields.includes(key);
  const state = !isFaulty ? 'refused' : result.outcome === 'conflict' ? 'conflict' : 'limit';
  // The server saves all of a product or nothing.
  const isOther = result.faults.length + result.changedFields.length > 0;
  const message = fault?.message ?? (isOther ? rowNotSaved : (result.message ?? rowNotSaved));
  return { id, key, cell: { value: after, state, message } as const };
}
