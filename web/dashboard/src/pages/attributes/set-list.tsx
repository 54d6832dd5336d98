import { Anchor, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AttributeSetListQuery, AttributeSubject } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';

const SETS = graphql(`
  query AttributeSetList($subject: AttributeSubject!) {
    attributeSets(subject: $subject) { id name attributeSetAttributes { order attribute { id name } } }
  }
`);
type Row = AttributeSetListQuery['attributeSets'][number];

export function SetList({ subject, create }: { subject: AttributeSubject; create: ReactNode }) {
  const { attributes } = useStrings();
  const address = useAddress();
  const query = useQuery({ query: SETS, variables: { subject } });
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: attributes.name,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={address(`attributes/sets/${id}`)} size="sm" fw={500}>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'attributes',
      title: attributes.list,
      cell: ({ attributeSetAttributes: positions }) => (
        <Text size="sm" truncate>
          {positions.map(({ attribute }) => attribute.name).join(', ')}
        </Text>
      ),
    },
  ];
  return (
    <Loaded query={query}>
      {({ attributeSets }) => (
        <DataTable<Row>
          label={attributes.sets}
          columns={columns}
          rows={allRows(attributeSets)}
          empty={
            <Empty icon={IconListDetails} title={attributes.noSets} text={attributes.noSetsText}>
              {create}
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}
