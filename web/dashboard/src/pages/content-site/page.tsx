import { Alert, Code, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { IconArrowForward } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { useMutation } from 'urql';
import type { SiteDomainQuery, SiteRedirectsQuery } from '../../../.graph/graphql.ts';
import { isKind, kinds } from '../../content/content-kinds.ts';
import { RecordList, Status } from '../../content/record-list.tsx';
import { Crumbs } from '../../content/record-page.tsx';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Tag } from '../../parts/elements.tsx';
import { useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded, LoadedPage, NotFound, PageTitle, Section } from '../../parts/page-frame.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useAddress, useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const SITE = graphql(`query Site($id: ID!) { site(id: $id) { id workspaceId name slug status version updatedAt } }`);

const PANELS = [...(Object.keys(kinds) as (keyof typeof kinds)[]), 'domain', 'redirects'] as const;
type Panel = (typeof PANELS)[number];

/** One site, with its records by kind, its domain and its redirects. */
export function Page() {
  const { content } = useStrings();
  const address = useAddress();
  const { go } = useGo();
  const { site: id = '', kind: name = 'pages' } = useParams();
  const query = useQuery({ query: SITE, variables: { id } });
  if (!PANELS.includes(name as Panel)) return <NotFound />;
  return (
    <LoadedPage query={query}>
      {({ site }) => (
        <>
          <Crumbs />
          <PageTitle title={site.name}>
            <Status status={site.status} />
          </PageTitle>
          <Tabs
            value={name}
            onChange={(next) => go(`content/${id}/${next}`)}
            style={{ display: 'flex', flexDirection: 'column', flex: 1 }}
          >
            <Tabs.List mb="md">
              {PANELS.map((each) => (
                <Tabs.Tab key={each} value={each}>
                  {content.kinds[each]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value={name} style={{ display: 'flex', flexDirection: 'column', flex: 1 }}>
              {isKind(name) && (
                <RecordList
                  key={name}
                  name={name}
                  kind={kinds[name]}
                  place={{ siteId: id, collectionId: '' }}
                  to={(record) => address(`content/${id}/${name}/${record}`)}
                />
              )}
              {name === 'domain' && <Domain siteId={id} />}
              {name === 'redirects' && <Redirects siteId={id} />}
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </LoadedPage>
  );
}

const DOMAIN = graphql(`
  query SiteDomain($siteId: ID!) { siteDomain(siteId: $siteId) { id domain subdomain verifiedAt lostAt status ssl recordName recordValue } }
`);
const SET = graphql(`
  mutation SetDomain($siteId: ID!, $input: SiteDomainInput!) {
    setSiteDomain(siteId: $siteId, input: $input) { id domain lostAt status recordName recordValue }
  }
`);
const VERIFY = graphql(
  `mutation VerifyDomain($siteId: ID!) { verifySiteDomain(siteId: $siteId) { id verifiedAt lostAt status ssl } }`,
);
const REMOVE = graphql(
  `mutation RemoveDomain($siteId: ID!) { removeSiteDomain(siteId: $siteId) { id domain verifiedAt lostAt status ssl } }`,
);

type SiteDomain = SiteDomainQuery['siteDomain'];

/** The domain of a site, with the record that proves who owns it. */
function Domain({ siteId }: { siteId: string }) {
  const { content } = useStrings();
  const query = useQuery({ query: DOMAIN, variables: { siteId } });
  return (
    <Loaded query={query}>
      {({ siteDomain }) => (
        <Section title={content.kinds.domain}>
          <Stack align="start">
            <Text>{content.subdomain(siteDomain.subdomain)}</Text>
            {siteDomain.domain ? <Present siteId={siteId} domain={siteDomain} /> : <Absent siteId={siteId} />}
          </Stack>
        </Section>
      )}
    </Loaded>
  );
}

function Absent({ siteId }: { siteId: string }) {
  const { content, actions } = useStrings();
  const [{ fetching }, set] = useMutation(SET);
  const form = useClosingForm({
    initialValues: { domain: '' },
    validate: { domain: (domain) => (/^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(domain) ? null : content.wrongDomain) },
  });
  return (
    <form onSubmit={form.onSubmit((input) => set({ siteId, input }))} style={{ width: '100%', maxWidth: 480 }}>
      <Stack>
        <TextInput {...form.field('domain', content.domain, content.domainHelp)} placeholder="www.example.com" maxLength={230} />
        <Group>
          <Action label={actions.save} type="submit" loading={fetching} />
        </Group>
      </Stack>
    </form>
  );
}

function Present({
  siteId,
  domain: { domain, status, ssl, verifiedAt, lostAt, recordName, recordValue },
}: {
  siteId: string;
  domain: SiteDomain;
}) {
  const { content, actions, formats } = useStrings();
  const verify = useButton(VERIFY, { done: (data) => content.domainStates[data.verifySiteDomain.status] });
  const ask = { title: actions.deleteTitle(domain!), text: content.removeDomainText, action: actions.delete };
  const remove = useButton(REMOVE, { ask });
  return (
    <>
      <Group gap="xs">
        <Text size="md" fw={600}>
          {domain}
        </Text>
        <Tag label={content.domainStates[status]} color={status === 'verified' ? 'teal' : 'yellow'} />
        {ssl === 'active' && <Tag label={content.certificate} color="teal" />}
      </Group>
      {lostAt && <Alert color="red">{content.lostDomain(formats.time(lostAt))}</Alert>}
      {verifiedAt && <Text>{content.verified(formats.time(verifiedAt))}</Text>}
      {status !== 'verified' && recordName && recordValue && (
        <Stack w="100%" maw={640}>
          <Text>{content.recordText}</Text>
          <Secret label={content.recordName} value={recordName} />
          <Secret label={content.recordValue} value={recordValue} />
        </Stack>
      )}
      <Group>
        <Action label={content.verify} {...verify({ siteId })} />
        <Action label={actions.delete} variant="default" {...remove({ siteId })} />
      </Group>
    </>
  );
}

const REDIRECTS = graphql(`
  query SiteRedirects($siteId: ID!, $page: Int!, $limit: Int!) {
    list: redirects(siteId: $siteId, page: $page, perPage: $limit) { nodes { id kind address recordId createdAt } pagination: meta { total } }
  }
`);

function Redirects({ siteId }: { siteId: string }) {
  const { content, terms, formats } = useStrings();
  const rows = usePages(REDIRECTS, { siteId }, ({ list }) => list);
  const columns: Column<SiteRedirectsQuery['list']['nodes'][number]>[] = [
    { key: 'address', title: content.formerAddress, cell: ({ address }) => <Code>{address}</Code> },
    { key: 'kind', title: terms.kind, width: 140, cell: ({ kind }) => content.redirectKinds[kind] },
    { key: 'created', title: content.since, from: 'sm', width: 160, cell: ({ createdAt }) => formats.date(createdAt) },
  ];
  return (
    <DataTable
      minHeight={320}
      label={content.kinds.redirects}
      columns={columns}
      rows={rows}
      empty={{ icon: IconArrowForward, title: content.noRedirects, text: content.noRedirectsText }}
    />
  );
}
