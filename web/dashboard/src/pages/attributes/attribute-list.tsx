import { Anchor, Badge, Code, Group } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { AttributeListQuery, AttributeSubject } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Search } from '../../parts/search.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';

const ATTRIBUTES = graphql(`
  query AttributeList($subject: AttributeSubject!) { attributes(subject: $subject) { id name slug type unit options isActive } }
`);
type Row = AttributeListQuery['attributes'][number];

interface Props {
  subject: AttributeSubject;
  create: ReactNode;
}

export function AttributeList({ subject, create }: Props) {
  const query = useQuery({ query: ATTRIBUTES, variables: { subject } });
  return <Loaded query={query}>{({ attributes: all }) => <Found all={all} create={create} />}</Loaded>;
}

function Found({ all, create }: { all: Row[]; create: ReactNode }) {
  const { attributes } = useStrings();
  const [search, setSearch] = useState('');
  const columns = useColumns();
  const matching = useMemo(() => {
    const text = search.trim().toLowerCase();
    return all.filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(text));
  }, [all, search]);
  return (
    <>
      {all.length > 0 && (
        <Group>
          <Search label={attributes.search} value="" onSearch={setSearch} />
        </Group>
      )}
      <DataTable<Row>
        label={attributes.list}
        columns={columns}
        rows={allRows(matching)}
        empty={
          <Empty icon={IconTags} title={all.length > 0 ? attributes.nothing : attributes.none} text={attributes.noneText}>
            {create}
          </Empty>
        }
      />
    </>
  );
}

function useColumns(): Column<Row>[] {
  const { attributes } = useStrings();
  const address = useAddress();
  return [
    {
      key: 'name',
      title: attributes.name,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={address(`attributes/edit/${id}`)} size="sm" fw={500}>
          {name}
        </Anchor>
      ),
    },
    { key: 'slug', title: attributes.slug, from: 'md', cell: ({ slug }) => <Code>{slug}</Code> },
    { key: 'type', title: attributes.type, width: 170, cell: ({ type }) => attributes.types[type] },
    {
      key: 'detail',
      title: attributes.detail,
      from: 'sm',
      cell: ({ unit, options }) => unit ?? (options.length > 0 ? attributes.optionCount(options.length) : null),
    },
    {
      key: 'active',
      title: attributes.state,
      width: 120,
      from: 'xs',
      cell: ({ isActive }) => (
        <Badge variant="light" color={isActive ? 'teal' : 'gray'}>
          {isActive ? attributes.active : attributes.inactive}
        </Badge>
      ),
    },
  ];
}
