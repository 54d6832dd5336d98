import { Breadcrumbs } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { useQuery } from '../../graph/graph-hooks.ts';
import { PageLink, Tag } from '../../parts/elements.tsx';
import { LoadedPage, Loading, NotFound, onDemand, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useAddress } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { AGENT, type TabProps } from './agent-documents.ts';

const tab = (load: () => Promise<{ Tab: ComponentType<TabProps> }>) => lazy(async () => ({ default: (await load()).Tab }));

/** The tabs in their order. Each loads when it is opened. */
const tabs = {
  settings: tab(() => import('./settings.tsx')),
  playground: tab(() => import('./playground.tsx')),
  sources: tab(() => import('./sources.tsx')),
  connections: tab(() => import('./connections.tsx')),
  forms: tab(() => import('./forms.tsx')),
  questions: tab(() => import('./questions.tsx')),
  figures: tab(() => import('./figures.tsx')),
  embed: tab(() => import('./embed.tsx')),
  tests: tab(() => import('./tests.tsx')),
  versions: tab(() => import('./versions.tsx')),
};
type Name = keyof typeof tabs;
/** Addresses of sections of a tab. */
const sections: Record<string, Name> = { tools: 'connections', mcp: 'connections', secrets: 'connections' };

/** The tabs of a draft. Everything else belongs to its agent. */
const OF_DRAFT: readonly Name[] = ['settings', 'playground', 'connections', 'forms'];

const DraftBar = onDemand(async () => (await import('./draft-bar.tsx')).DraftBar);

export function Page() {
  const { agents, pages, terms } = useStrings();
  const address = useAddress();
  const { agentId = '', tab: addressed = 'settings' } = useParams();
  const name = Object.hasOwn(sections, addressed) ? sections[addressed]! : addressed;
  const query = useQuery({ query: AGENT, variables: { id: agentId } });
  if (!Object.hasOwn(tabs, name)) return <NotFound />;
  const Tab = tabs[name as Name];
  return (
    <LoadedPage query={query}>
      {({ agent }) =>
        namesOf(agent).includes(name as Name) ? (
          <>
            <Breadcrumbs mb="xs">
              <PageLink to="agents" label={pages.agents} />
            </Breadcrumbs>
            <PageTitle title={agent.name}>
              {agent.draftOf ? (
                <Tag label={terms.draft} color="orange" />
              ) : (
                <Tag label={agent.publicAccess ? agents.public : agents.private} color={agent.publicAccess ? 'teal' : 'gray'} />
              )}
            </PageTitle>
            {(agent.draftOf || agent.draftId) && <DraftBar agent={agent} />}
            <PageTabs
              label={agent.name}
              value={name}
              tabs={namesOf(agent).map((value) => ({ value, label: agents.tabs[value] }))}
              addressOf={(value) => address(`agents/${agent.id}/${value}`)}
            >
              <Suspense fallback={<Loading />}>
                <Tab key={agent.id} agent={agent} />
              </Suspense>
            </PageTabs>
          </>
        ) : (
          <NotFound />
        )
      }
    </LoadedPage>
  );
}

const namesOf = ({ draftOf }: TabProps['agent']): readonly Name[] => (draftOf ? OF_DRAFT : (Object.keys(tabs) as Name[]));
