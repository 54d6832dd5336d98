import { Tabs } from '@mantine/core';
import { useNavigate, useParams } from 'react-router';
import { Crumbs } from '../../content/crumbs.tsx';
import { isKind, kinds } from '../../content/kinds.ts';
import { RecordList } from '../../content/record-list.tsx';
import { SITE } from '../../content/sites.ts';
import { Status } from '../../content/status.tsx';
import { useQuery } from '../../graph/use-query.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { LoadedPage, NotFound } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Domain } from './domain.tsx';
import { Redirects } from './redirects.tsx';

const PANELS = [...(Object.keys(kinds) as (keyof typeof kinds)[]), 'domain', 'redirects'] as const;
type Panel = (typeof PANELS)[number];

/** One site, with its records by kind, its domain and its redirects. */
export function Page() {
  const { content } = useStrings();
  const address = useAddress();
  const navigate = useNavigate();
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
            onChange={(next) => navigate(address(`content/${id}/${next}`))}
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
