import { Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type CombinedError, type TypedDocumentNode, useClient } from 'urql';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { useSentence } from '../../parts/page-frame.tsx';
import { saveCsv } from '../../parts/save-file.ts';
import { useStrings } from '../../strings/strings.tsx';

interface Props {
  /** Filters of the list. */
  children: ReactNode;
  isExporting: boolean;
  isEmpty: boolean;
  onExport(): void;
}

/** The filters of a list, and its export. */
export function ListBar({ children, isExporting, isEmpty, onExport }: Props) {
  const { inbox } = useStrings();
  return (
    <Group justify="space-between" mb="sm" gap="xs">
      <Group gap="xs" flex="1 1 18rem">
        {children}
      </Group>
      <Action
        label={inbox.exportCsv}
        variant="default"
        disabled={isEmpty}
        loading={isExporting}
        onClick={onExport}
        icon={IconDownload}
      />
    </Group>
  );
}

const AGENT_SUMMARIES = graphql(`query AgentSummaries { agentSummaries { id name } }`);

/** The name of an agent by its id, for members too. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const [{ data }] = useQuery({ query: AGENT_SUMMARIES, requestPolicy: 'cache-first' });
  return new Map(data?.agentSummaries.map(({ id, name }) => [id, name]));
}

const MAIL_CHANNEL = graphql(`query MailChannel { mailChannel { sends receives } }`);

/** Whether mail is set up. */
export function useMailChannel(): { sends: boolean; receives: boolean } {
  const [{ data }] = useQuery({ query: MAIL_CHANNEL, requestPolicy: 'cache-first' });
  return data?.mailChannel ?? { sends: false, receives: false };
}

const MEMBERS = graphql(`query Assignees { organization { id members { user { id name email } } } }`);

/** The members of the organization as choices of a select. */
export function useMembers(): { value: string; label: string }[] {
  const [{ data }] = useQuery({ query: MEMBERS });
  return data?.organization.members.map(({ user: { id, name, email } }) => ({ value: id, label: name || email })) ?? [];
}

/** Filters a list by agent. */
export function AgentSelect({ value, onChange }: { value: string | null; onChange(id: string | null): void }) {
  const { pages, terms } = useStrings();
  const names = useAgentNames();
  if (names.size < 2) return null;
  return (
    <OptionalChoice
      aria-label={pages.agent}
      none={terms.allAgents}
      labels={names}
      searchable
      w={180}
      value={value ?? ''}
      onChange={(id) => onChange(id || null)}
    />
  );
}

/** The tag that a search asks for: all words after a `#`. */
export const tagOf = (search: string): string | undefined => /^#(\S.*)$/.exec(search.trim())?.[1]?.slice(0, MAX_TAG);
/** The graph rejects longer tags. */
const MAX_TAG = 40;

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

/** The address of a link that writes to an e-mail address. Visitors could add recipients and text after a `?`. */
export const mailLink = (email: string): string => `mailto:${email.split('@').map(encodeURIComponent).join('@')}`;
