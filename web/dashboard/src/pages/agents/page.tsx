import { Anchor, Badge, Button, Code } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { AgentsQuery } from '../../../.graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { PageTitle } from '../../parts/page-title.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { AGENTS } from './documents.ts';
import { NewAgent } from './new-agent.tsx';

type Row = AgentsQuery['agents'][number];

/** All agents of the organization. */
export function Page() {
  const { agents, pages } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const [isOpen, { open, close }] = useDisclosure();
  const query = useQuery({ query: AGENTS });
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: agents.name,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={address(`agents/${id}`)} size="sm" fw={500}>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'access',
      title: agents.access,
      width: 140,
      cell: ({ publicAccess }) => (
        <Badge variant="light" color={publicAccess ? 'teal' : 'gray'}>
          {publicAccess ? agents.public : agents.private}
        </Badge>
      ),
    },
    {
      key: 'model',
      title: agents.model,
      width: 140,
      from: 'sm',
      cell: ({ modelType }) => agents.models[modelType as 'agent-chat-v1'],
    },
    { key: 'slug', title: agents.publicSlug, from: 'md', cell: ({ publicSlug }) => <Code>{publicSlug}</Code> },
    { key: 'updated', title: agents.updated, width: 160, from: 'sm', cell: ({ updatedAt }) => formats.ago(updatedAt) },
  ];
  const create = (
    <Button onClick={open} leftSection={<IconPlus size={16} aria-hidden />}>
      {agents.create}
    </Button>
  );
  return (
    <>
      <PageTitle title={pages.agents}>{(query[0].data?.agents.length ?? 0) > 0 && create}</PageTitle>
      <Loaded query={query}>
        {({ agents: rows }) => (
          <DataTable
            label={pages.agents}
            columns={columns}
            rows={allRows(rows)}
            empty={
              <Empty icon={IconRobot} title={agents.none} text={agents.noneText}>
                {create}
              </Empty>
            }
          />
        )}
      </Loaded>
      {isOpen && <NewAgent onClose={close} />}
    </>
  );
}
