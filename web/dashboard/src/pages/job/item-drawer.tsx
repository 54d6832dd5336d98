import { Alert, Anchor, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { JobItemPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note, Tag } from '../../parts/elements.tsx';
import { Drawer } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useAddress } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';

const ITEM = graphql(`
  query JobItemPage($id: ID!) {
    jobItem(id: $id) {
      id label status errorMessage enrichedData validationResults
      product { id name }
      provenance { slug confidence sourceKind sourceUrl sourceTitle snippet }
      results { id source price currency availability link }
    }
  }
`);
type Item = JobItemPageQuery['jobItem'];

/** The result of one item beside the list. */
export function ItemDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { terms } = useStrings();
  const address = useAddress();
  const query = useQuery({ query: ITEM, variables: { id } });
  return (
    <Drawer onClose={onClose} size="lg" title={terms.result}>
      <Loaded query={query}>
        {({ jobItem: item }) => (
          <Stack>
            {item.product ? (
              <Anchor size="md" component={Link} to={address(`products/${item.product.id}`)} fw={500}>
                {item.product.name}
              </Anchor>
            ) : (
              <Text size="md" fw={500}>
                {item.label}
              </Text>
            )}
            {item.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
            <Written item={item} />
            <Checked item={item} />
            <Offers item={item} />
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

function Written({ item: { enrichedData, provenance } }: { item: Item }) {
  const strings = useStrings();
  const definitions = useDefinitions();
  const origins = new Map(provenance?.map((origin) => [origin.slug, origin]));
  return Object.entries(enrichedData ?? {}).map(([slug, { attributeName, attributeType, value }]) => {
    const origin = origins.get(slug);
    return (
      <Stack key={slug} gap={4}>
        <Group justify="space-between">
          <Text fw={500}>{attributeName}</Text>
          {origin && <Confidence value={origin.confidence} />}
        </Group>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {formatValue(value, attributeType, strings, definitions.get(slug))}
        </Text>
        {origin && <Origin {...origin} />}
      </Stack>
    );
  });
}

function Checked({ item: { validationResults } }: { item: Item }) {
  const strings = useStrings();
  const { jobs } = strings;
  return Object.entries(validationResults ?? {}).map(([slug, check]) => (
    <Stack key={slug} gap={4}>
      <Group justify="space-between">
        <Text fw={500}>{check.attributeName}</Text>
        <Tag label={check.isValid ? jobs.valid : jobs.invalid} color={check.isValid ? 'teal' : 'red'} />
      </Group>
      <Text>{formatValue(check.existingValue, check.attributeType, strings)}</Text>
      <Note>{check.explanation}</Note>
    </Stack>
  ));
}

function Offers({ item: { results } }: { item: Item }) {
  const { jobs, terms, formats } = useStrings();
  if (results.length === 0) return null;
  return (
    <Table aria-label={terms.offers}>
      <Table.Tbody>
        {results.map(({ id, source, price, currency, link, availability }) => (
          <Table.Tr key={id}>
            <Table.Td>
              {/^https?:\/\//i.test(link) ? (
                <Anchor href={link} target="_blank" rel="noopener noreferrer">
                  {source}
                </Anchor>
              ) : (
                source
              )}
            </Table.Td>
            <Table.Td ta="right">{formats.money(price, currency)}</Table.Td>
            <Table.Td>{jobs.availabilities[availability]}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
