import { Alert, Box, Button, Code, Container, Group, PasswordInput, Stack, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Client, fetchExchange, Provider } from 'urql';
import type { OperationUsageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Note, Submit } from '../../parts/elements.tsx';
import { Choice, Modal, Search, useForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded, Narrow, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { History } from './history.tsx';
import { clientName, Parts } from './parts.tsx';

/** The schema and its use, for operators. Sessions belong to users of organizations, so an operator enters a key. */
export function Page() {
  const { schema, actions } = useStrings();
  const [key, setKey] = useState<string>();
  const form = useForm({ initialValues: { key: '' }, validate: { key: (text) => (text.trim() ? null : schema.key) } });
  const client = useMemo(() => key && clientWith(key), [key]);
  if (client)
    return (
      <Provider value={client}>
        <Usage />
      </Provider>
    );
  return (
    <Narrow title={schema.title} text={schema.keyText}>
      <form onSubmit={form.onSubmit((values) => setKey(values.key.trim()))}>
        <Stack>
          <PasswordInput {...form.field('key', schema.key)} autoComplete="off" data-autofocus />
          <Submit label={actions.open} />
        </Stack>
      </form>
    </Narrow>
  );
}

const clientWith = (key: string) =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': key }, credentials: 'omit' },
    exchanges: [fetchExchange],
  });

const DEFAULTS = { view: 'parts', days: '30' };
const CHOICES = { view: ['parts', 'operations', 'history'], days: ['1', '7', '30', '90'] };

function Usage() {
  const { schema, terms } = useStrings();
  const [{ view, days }, , bind] = useUrlState(DEFAULTS, CHOICES);
  const [parameters] = useSearchParams();
  const addressOf = (value: string) => {
    const next = new URLSearchParams(parameters);
    next.set('view', value);
    return `?${next}`;
  };
  return (
    <Container component="main" size="xl" h="100dvh" py="md" style={{ display: 'flex', flexDirection: 'column' }}>
      <PageTitle title={schema.title}>
        {view !== 'history' && (
          <Choice
            {...bind('days')}
            aria-label={terms.time}
            data={CHOICES.days.map((value) => ({ value, label: schema.lastDays(Number(value)) }))}
          />
        )}
      </PageTitle>
      <PageTabs
        label={schema.title}
        value={view}
        addressOf={addressOf}
        tabs={[
          { value: 'parts', label: schema.fields },
          { value: 'operations', label: schema.operations },
          { value: 'history', label: schema.history },
        ]}
      >
        <Box flex={1} mih={280} style={{ display: 'flex', flexDirection: 'column' }}>
          {view === 'parts' && <Parts days={Number(days)} />}
          {view === 'operations' && <Operations days={Number(days)} />}
          {view === 'history' && <History />}
        </Box>
      </PageTabs>
    </Container>
  );
}

const OPERATIONS = graphql(`query OperationUsage($days: Int!, $search: String, $coordinate: String) {
  operationUsage(days: $days, search: $search, coordinate: $coordinate, limit: 100) {
    nodes { hash name label kind text requests errors p50 p95 p99 lastUsedAt clientCount clients { name version requests } }
  }
}`);

type Row = OperationUsageQuery['operationUsage']['nodes'][number] & { id: string };

const NO_FILTER = { find: '', coordinate: '' };

/** The operations with their durations, errors and clients. */
export function Operations({ days }: { days: number }) {
  const { schema, actions } = useStrings();
  const [{ find, coordinate }, change] = useUrlState(NO_FILTER);
  const [opened, open] = useState<Row>();
  const variables = { days, search: find.slice(0, 100) || null, coordinate: coordinate || null };
  const query = useQuery({ query: OPERATIONS, variables });
  const columns = useColumns(days, open);
  return (
    <>
      {coordinate && (
        <Alert mb="sm">
          <Group justify="space-between">
            <Text>{schema.onlyWith(coordinate)}</Text>
            <Button size="xs" variant="default" onClick={() => change({ coordinate: '' })}>
              {actions.showAll}
            </Button>
          </Group>
        </Alert>
      )}
      <Group mb="sm">
        <Search label={schema.search} value={find} onSearch={(text) => change({ find: text })} />
        <Note>{schema.top}</Note>
      </Group>
      <Loaded query={query}>
        {({ operationUsage }) => (
          <DataTable
            minHeight={240}
            label={schema.operations}
            columns={columns}
            rows={allRows(operationUsage.nodes.map((node) => ({ ...node, id: node.hash })))}
            fixed
            minWidth={1100}
            empty={{ title: schema.noOperations, text: schema.noOperationsText }}
          />
        )}
      </Loaded>
      {opened && <Details row={opened} onClose={() => open(undefined)} />}
    </>
  );
}

function useColumns(days: number, open: (row: Row) => void): Column<Row>[] {
  const { schema, terms, formats } = useStrings();
  return useMemo(() => {
    const duration = (key: 'p50' | 'p95' | 'p99', title: string): Column<Row> => ({
      key,
      title,
      width: 100,
      align: 'right',
      cell: (row) => schema.milliseconds(formats.number(row[key])),
    });
    return [
      {
        key: 'operation',
        title: terms.operation,
        cell: (row) => (
          <Action variant="subtle" size="compact-sm" maw="100%" label={nameOf(row, schema)} onClick={() => open(row)} />
        ),
      },
      {
        key: 'perDay',
        title: schema.perDay,
        width: 130,
        align: 'right',
        cell: ({ requests }) => formats.number(requests / days),
      },
      {
        key: 'errors',
        title: schema.errors,
        width: 90,
        align: 'right',
        cell: ({ requests, errors }) => formats.precisePercent(errors / requests),
      },
      duration('p50', schema.median),
      duration('p95', schema.p95),
      duration('p99', schema.p99),
      {
        key: 'clients',
        title: schema.clients,
        width: 200,
        cell: ({ clients, clientCount }) => {
          const names = [...new Set(clients.map(({ name }) => clientName(name, schema)))].slice(0, 3);
          const more = clientCount - names.length;
          return (
            <Text truncate title={names.join(', ')}>
              {names.join(', ')} {more > 0 && schema.more(more)}
            </Text>
          );
        },
      },
      { key: 'lastUse', title: schema.lastUse, width: 130, cell: ({ lastUsedAt }) => formats.ago(lastUsedAt) },
    ];
  }, [days, formats, open, schema, terms]);
}

const nameOf = ({ hash, label, name, kind }: Row, { rest, unnamed }: { rest: string; unnamed: string }): string =>
  hash === '*' ? rest : label || name || `${unnamed} (${kind} ${hash.slice(0, 6)})`;

/** The text of an operation, and its clients. */
function Details({ row, onClose }: { row: Row; onClose(): void }) {
  const { schema, terms, formats } = useStrings();
  return (
    <Modal onClose={onClose} size="lg" title={nameOf(row, schema)}>
      <Stack>
        <Table aria-label={schema.clients}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{schema.clients}</Table.Th>
              <Table.Th>{terms.version}</Table.Th>
              <Table.Th ta="right">{schema.requests}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {row.clients.map(({ name, version, requests }) => (
              <Table.Tr key={`${name} ${version}`}>
                <Table.Td>{clientName(name, schema)}</Table.Td>
                <Table.Td>{version}</Table.Td>
                <Table.Td ta="right">{formats.number(requests)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {row.text ? <Code block>{row.text}</Code> : <Note>{schema.noText}</Note>}
      </Stack>
    </Modal>
  );
}
