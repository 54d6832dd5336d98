import { Button, SegmentedControl, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { PageTitle } from '../../parts/page-title.tsx';
import { NotFound } from '../../parts/states.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { subjects, useSubject } from '../../parts/use-subject.ts';
import { useAddress, useOrganization } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { AttributeList } from './attribute-list.tsx';
import { SetList } from './set-list.tsx';

/** The attributes and attribute sets of products, brands or categories. */
export function Page() {
  const { attributes, pages } = useStrings();
  const address = useAddress();
  const { isAdmin } = useOrganization();
  const { view } = useParams();
  const [subject, changeSubject] = useSubject();
  const isSets = view === 'sets';
  if (view && !isSets) return <NotFound />;
  const create = isAdmin && (
    <Button
      component={Link}
      to={address(`attributes/${isSets ? 'sets' : 'edit'}/new?subject=${subject}`)}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {isSets ? attributes.newSet : attributes.new}
    </Button>
  );
  return (
    <>
      <PageTitle title={pages.attributes}>{create}</PageTitle>
      <PageTabs
        label={pages.attributes}
        value={isSets ? 'sets' : 'list'}
        tabs={[
          { value: 'list', label: attributes.list },
          { value: 'sets', label: attributes.sets },
        ]}
        addressOf={(next) => address(`attributes${next === 'sets' ? '/sets' : ''}?subject=${subject}`)}
      >
        <Stack gap="sm" flex={1} mih={0}>
          <SegmentedControl
            aria-label={attributes.subject}
            value={subject}
            onChange={changeSubject}
            data={subjects.map((value) => ({ value, label: attributes.subjects[value] }))}
            maw="max-content"
          />
          {isSets ? <SetList subject={subject} create={create} /> : <AttributeList subject={subject} create={create} />}
        </Stack>
      </PageTabs>
    </>
  );
}
