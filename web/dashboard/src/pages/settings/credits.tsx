import { Anchor, Box, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { CreditLedgerQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { usePages } from '../../graph/pages.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useOverview } from '../../layout/overview.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { isKey, Usage } from './usage.tsx';

const BALANCE = graphql(`query Balance { organization { id credits plan modules } }`);
const LEDGER = graphql(`
  query CreditLedger($page: Int!, $limit: Int!) {
    organization {
      id
      creditEntries(page: $page, limit: $limit) { nodes { id amount reason createdAt job { id kind } } pagination { total } }
    }
  }
`);
type Entry = CreditLedgerQuery['organization']['creditEntries']['nodes'][number];

/** The balance, the use by day and by kind, and every charge. */
export function Part() {
  const { credits } = useStrings();
  const columns = useColumns();
  const rows = usePages(LEDGER, {}, ({ organization }) => organization.creditEntries);
  return (
    <Stack flex={1}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Balance />
        <Usage />
      </SimpleGrid>
      <Text component="h2" fw={650}>
        {credits.ledger}
      </Text>
      <Box flex={1} mih={320}>
        <DataTable
          label={credits.ledger}
          columns={columns}
          rows={rows}
          empty={<Empty icon={IconCoins} title={credits.empty} text={credits.emptyText} />}
        />
      </Box>
    </Stack>
  );
}

function Balance() {
  const { credits, settings } = useStrings();
  const formats = useFormats();
  const overview = useOverview();
  const query = useQuery({ query: BALANCE });
  return (
    <Section title={credits.balance}>
      <Loaded query={query}>
        {({ organization: { credits: balance, plan, modules } }) => (
          <Stack gap="xs">
            <Text fz={32} fw={650} lh={1.2}>
              {formats.credits(overview?.credits ?? balance)}
            </Text>
            <Group gap="xs">
              <Text size="sm">
                {settings.plan}: {settings.plans[plan]}
              </Text>
              {modules.length > 0 && (
                <Text size="sm">
                  {settings.modules}: {modules.map((module) => settings.moduleNames[module]).join(', ')}
                </Text>
              )}
            </Group>
            <Text size="sm">{settings.planText}</Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function useColumns(): Column<Entry>[] {
  const { credits, jobs } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const reasonOf = (reason: string) => {
    const kind = reason.replace(/ item$/, '');
    if (isKey(credits.reasons, reason)) return credits.reasons[reason];
    return isKey(jobs.kinds, kind) ? jobs.kinds[kind] : reason;
  };
  return [
    { key: 'time', title: credits.time, width: 170, cell: ({ createdAt }) => formats.time(createdAt) },
    {
      key: 'amount',
      title: credits.amount,
      width: 90,
      align: 'right',
      cell: ({ amount }) => (
        <Text size="sm" component="span" fw={amount > 0 ? 600 : 400}>
          {formats.credits(amount)}
        </Text>
      ),
    },
    {
      key: 'reason',
      title: credits.reason,
      cell: ({ reason, job }) => {
        const text = reasonOf(reason);
        return job ? (
          <Anchor component={Link} size="sm" to={address(`jobs/${job.id}`)}>
            {text}
          </Anchor>
        ) : (
          text
        );
      },
    },
  ];
}
