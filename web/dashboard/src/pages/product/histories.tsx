import { Accordion, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { IconArrowBackUp, IconHistory } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { EnrichmentsQuery, ValueHistoryQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Note, PageLink, SmallAction } from '../../parts/elements.tsx';
import { Drawer } from '../../parts/forms-and-dialogs.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { type Content, formatValue, isEmpty } from '../../values/format.ts';
import { Confidence } from '../../values/origin.tsx';

const ENRICHMENTS = graphql(`
  query Enrichments($productId: ID!, $page: Int!) {
    enrichmentHistory(productId: $productId, page: $page, limit: 20) {
      nodes { id enrichedAt attributes provenance { slug confidence model } }
      pagination { page totalPages }
    }
  }
`);
const VALIDATIONS = graphql(`
  query Validations($productId: ID!, $page: Int!) {
    validationHistory(productId: $productId, page: $page, limit: 20) {
      nodes { id validatedAt overallScore }
      pagination { page totalPages }
    }
  }
`);

/** The enrichments of a product, newest first, with the values that each wrote. */
export function Enrichments({ productId }: { productId: string }) {
  const { jobs, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: ENRICHMENTS, variables: { productId, page } });
  return (
    <Loaded query={query}>
      {({ enrichmentHistory: { nodes, pagination } }) => (
        <Pages empty={nodes.length === 0} page={page} total={pagination.totalPages} onPage={setPage}>
          <Accordion variant="contained">
            {nodes.map((entry) => (
              <Accordion.Item key={entry.id} value={entry.id}>
                <Accordion.Control>
                  <Group justify="space-between" pr="md">
                    <Text>{formats.time(entry.enrichedAt)}</Text>
                    <Note>{jobs.values(Object.values(entry.attributes).filter(({ value }) => !isEmpty(value)).length)}</Note>
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <Written entry={entry} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        </Pages>
      )}
    </Loaded>
  );
}

function Written({ entry }: { entry: EnrichmentsQuery['enrichmentHistory']['nodes'][number] }) {
  const strings = useStrings();
  const definitions = useDefinitions();
  const confidences = new Map(entry.provenance.map(({ slug, confidence }) => [slug, confidence]));
  return (
    <Table>
      <Table.Tbody>
        {Object.entries(entry.attributes).map(([slug, { attributeName, attributeType, value }]) => (
          <Table.Tr key={slug}>
            <Table.Th scope="row">{definitions.get(slug)?.name ?? attributeName}</Table.Th>
            <Table.Td style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {formatValue(value, attributeType, strings, definitions.get(slug))}
            </Table.Td>
            <Table.Td w={80}>{confidences.has(slug) && <Confidence value={confidences.get(slug)!} />}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The validations of a product, newest first. */
export function Validations({ productId }: { productId: string }) {
  const { products, terms, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: VALIDATIONS, variables: { productId, page } });
  return (
    <Loaded query={query}>
      {({ validationHistory: { nodes, pagination } }) => (
        <Pages empty={nodes.length === 0} page={page} total={pagination.totalPages} onPage={setPage}>
          <Table
            aria-label={products.validationHistory}
            data={{
              head: [terms.changed, products.score],
              body: nodes.map(({ id, validatedAt, overallScore }) => [
                formats.time(validatedAt),
                <Confidence key={id} value={overallScore} />,
              ]),
            }}
          />
        </Pages>
      )}
    </Loaded>
  );
}

interface PagesProps {
  empty: boolean;
  page: number;
  total: number;
  onPage(page: number): void;
  children: ReactNode;
}

function Pages({ empty, page, total, onPage, children }: PagesProps) {
  const { products } = useStrings();
  if (empty) return <Empty icon={IconHistory} title={products.noHistory} text={products.noHistoryText} />;
  return (
    <Stack>
      {children}
      <PageChoice page={page} totalPages={total} onPage={onPage} />
    </Stack>
  );
}

const HISTORY = graphql(`
  query ValueHistory($productId: ID!, $slug: String!) {
    valueHistory(productId: $productId, slug: $slug) {
      id at confidence
      value { attributeType value } before { attributeType value }
      user { id name email } item { id job { id kind } }
    }
  }
`);
const RESTORE = graphql(`
  mutation RestoreValue($id: ID!, $attributes: AttributeValues!) {
    updateProductAttributes(id: $id, attributes: $attributes) { id attributes }
  }
`);

type Change = ValueHistoryQuery['valueHistory'][number];
type Value = Change['value'];

interface Props {
  productId: string;
  slug: string;
  name: string;
  current: Content;
  definition?: Definition;
  onClose(): void;
}

/** All changes of one value beside the product, newest first. Each earlier value can be restored. */
export function ValueHistory({ productId, slug, name, current, definition, onClose }: Props) {
  const { products, terms } = useStrings();
  const query = useQuery({ query: HISTORY, variables: { productId, slug } });
  const [restore, fetching] = useAction(RESTORE, { done: products.restored });
  const write = (value: Value) =>
    restore({ id: productId, attributes: { [slug]: { attributeType: value!.attributeType, value: value!.value ?? null } } });
  return (
    <Drawer onClose={onClose} title={products.historyOf(name)}>
      <Loaded query={query}>
        {({ valueHistory }) => {
          const oldest = valueHistory.at(-1);
          const entries: { key: string; change?: Change; value: Value }[] = [
            ...valueHistory.map((change) => ({ key: change.id, change, value: change.value })),
            ...(oldest?.before ? [{ key: 'before', value: oldest.before }] : []),
          ];
          if (entries.length === 0) return <Empty icon={IconHistory} title={terms.noChanges} text={products.noChangesText} />;
          return (
            <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }} aria-label={products.historyOf(name)}>
              {entries.map(({ key, change, value }) => (
                <Entry
                  key={key}
                  change={change}
                  value={value}
                  definition={definition}
                  isCurrent={JSON.stringify(value?.value ?? null) === JSON.stringify(current ?? null)}
                  isBusy={fetching}
                  onRestore={() => write(value)}
                />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Drawer>
  );
}

interface EntryProps {
  /** Absent for the value before all known changes. */
  change?: Change;
  value: Value;
  definition?: Definition;
  isCurrent: boolean;
  isBusy: boolean;
  onRestore(): void;
}

function Entry({ change, value, definition, isCurrent, isBusy, onRestore }: EntryProps) {
  const strings = useStrings();
  const { jobs, products, actions, formats } = strings;
  const job = change?.item?.job;
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap={4}>
        <Text fw={500} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} lineClamp={6}>
          {formatValue(value?.value, value?.attributeType ?? 'text', strings, definition)}
        </Text>
        <Group gap="xs">
          <Note size="xs">{change ? formats.time(change.at) : products.earlier}</Note>
          {change?.user && <Note size="xs">{change.user.name || change.user.email}</Note>}
          {job && <PageLink size="xs" to={`jobs/${job.id}`} label={jobs.kinds[job.kind]} />}
          {typeof change?.confidence === 'number' && <Confidence value={change.confidence} />}
        </Group>
        {value && !isCurrent && (
          <Group>
            <SmallAction label={actions.restore} icon={IconArrowBackUp} loading={isBusy} onClick={onRestore} />
          </Group>
        )}
        {isCurrent && <Note size="xs">{products.current}</Note>}
      </Stack>
    </Paper>
  );
}
