import { Accordion, Group, Stack, Table, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { EnrichmentsQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue, isEmpty } from '../../values/format.ts';
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
