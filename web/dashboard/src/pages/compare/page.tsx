import { Table, Text } from '@mantine/core';
import { IconEqual } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import type { ComparisonQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';
import { formatValue } from '../../values/format.ts';

const COMPARISON = graphql(`
  query Comparison($id: ID!) {
    job(id: $id) {
      id
      items(limit: 100) { nodes { id productId label enrichedData product { id name } } }
      rerunOf { id items(limit: 100) { nodes { id productId label enrichedData } } }
    }
  }
`);
type Job = ComparisonQuery['job'];

/** The values on which a job and its repetition differ. */
export function Page() {
  const { jobs } = useStrings();
  const { id = '' } = useParams();
  const query = useQuery({ query: COMPARISON, variables: { id } });
  return (
    <>
      <PageTitle title={jobs.compareTitle} />
      <Text size="sm" mb="md">
        {jobs.compareText}
      </Text>
      <Loaded query={query}>{({ job }) => <Differences job={job} />}</Loaded>
    </>
  );
}

function Differences({ job }: { job: Job }) {
  const { jobs, products } = useStrings();
  const { strings, formats } = useLanguage();
  const rows = differencesOf(job);
  if (rows.length === 0) return <Empty icon={IconEqual} title={jobs.noDifferences} text={jobs.noDifferencesText} />;
  return (
    <Table.ScrollContainer
      minWidth={560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': jobs.compareTitle } }}
    >
      <Table aria-label={jobs.compareTitle} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{jobs.item}</Table.Th>
            <Table.Th>{products.attribute}</Table.Th>
            <Table.Th>{jobs.before}</Table.Th>
            <Table.Th>{jobs.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, item, name, before, after }) => (
            <Table.Tr key={key}>
              <Table.Td>{item}</Table.Td>
              <Table.Td>{name}</Table.Td>
              {[before, after].map((value, at) => (
                <Table.Td key={at === 0 ? 'before' : 'after'} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {value ? formatValue(value.value, value.attributeType, strings, formats) : strings.values.none}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function differencesOf({ items, rerunOf }: Job) {
  const keyOf = ({ productId, label }: { productId?: string | null; label?: string | null }) => productId ?? label ?? '';
  const earlier = new Map(rerunOf?.items.nodes.map((item) => [keyOf(item), item.enrichedData ?? {}]));
  return items.nodes.flatMap((item) => {
    const [old, now] = [earlier.get(keyOf(item)), item.enrichedData ?? {}];
    // The other job may have this item after its first 100.
    if (!old) return [];
    const slugs = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    return slugs
      .filter((slug) => JSON.stringify(old[slug]?.value ?? null) !== JSON.stringify(now[slug]?.value ?? null))
      .map((slug) => ({
        key: `${item.id} ${slug}`,
        item: item.product?.name ?? item.label,
        name: (now[slug] ?? old[slug])!.attributeName,
        before: old[slug],
        after: now[slug],
      }));
  });
}
