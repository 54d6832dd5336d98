import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { Loading, NotFound, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useAddress, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const part = (load: () => Promise<{ Part: ComponentType }>) => lazy(async () => ({ default: (await load()).Part }));

/** The parts of the settings; only owners and admins can open some. */
const parts = {
  organization: { Part: part(() => import('./organization.tsx')), forAdmins: false },
  members: { Part: part(() => import('./members.tsx')), forAdmins: false },
  keys: { Part: part(() => import('./keys.tsx')), forAdmins: true },
  credits: { Part: part(() => import('./credits.tsx')), forAdmins: false },
  audit: { Part: part(() => import('./audit.tsx')), forAdmins: true },
  profile: { Part: part(() => import('./profile.tsx')), forAdmins: false },
};
type Name = keyof typeof parts;

/** The settings of the organization and of the user. */
export function Page() {
  const { settings, pages } = useStrings();
  const { isAdmin } = useOrganization();
  const address = useAddress();
  const { part: name = 'organization' } = useParams();
  if (!Object.hasOwn(parts, name)) return <NotFound />;
  const { Part } = parts[name as Name];
  const names = (Object.keys(parts) as Name[]).filter((each) => isAdmin || !parts[each].forAdmins);
  return (
    <>
      <PageTitle title={pages.settings} />
      <PageTabs
        label={pages.settings}
        value={name}
        tabs={names.map((value) => ({ value, label: settings.parts[value] }))}
        addressOf={(value) => address(`settings/${value}`)}
      >
        <Suspense fallback={<Loading />}>
          <Part />
        </Suspense>
      </PageTabs>
    </>
  );
}
