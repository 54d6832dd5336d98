import { useState } from 'react';
import { type CombinedError, type TypedDocumentNode, useClient } from 'urql';
import { saveCsv } from '../../parts/csv.ts';
import { showProblem } from '../../parts/toast.ts';
import { useSentence } from '../../parts/use-sentence.ts';

/** Rows of one read. */
const SIZE = 100;

interface Export<Data, Variables, Row> {
  document: TypedDocumentNode<Data, Variables>;
  variables: Omit<Variables, 'before' | 'limit'>;
  pick(data: Data): Row[];
  /** The name of the file, without its ending. */
  name: string;
  /** The cells of a row by column. Rows may have different columns. */
  toRecord(row: Row): Record<string, unknown>;
}

/** Saves all rows of a list as a CSV file, not only the visible ones. */
export function useExport<Data, Variables extends { before?: unknown; limit?: unknown }, Row extends { createdAt: string }>({
  document,
  variables,
  pick,
  name,
  toRecord,
}: Export<Data, Variables, Row>) {
  const client = useClient();
  const [isRunning, setRunning] = useState(false);
  const sentence = useSentence();

  async function run() {
    setRunning(true);
    try {
      const rows: Row[] = [];
      for (let page: Row[] | undefined; !page || page.length === SIZE; rows.push(...page)) {
        const all = { ...variables, before: page?.at(-1)?.createdAt ?? null, limit: SIZE } as unknown as Variables;
        const { data, error } = await client.query(document, all, { requestPolicy: 'network-only' }).toPromise();
        if (!data) throw error;
        page = pick(data);
      }
      const records = rows.map(toRecord);
      const columns = [...new Set(records.flatMap(Object.keys))];
      const cells = records.map((record) => columns.map((column) => textOf(record[column])));
      await saveCsv(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, columns, cells);
    } catch (error) {
      showProblem(sentence(error as CombinedError));
    } finally {
      setRunning(false);
    }
  }
  return { isRunning, run };
}

/** Lists and objects become JSON. */
export const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
