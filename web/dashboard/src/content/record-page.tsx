import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useQuery } from '../graph/use-query.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { LoadedPage } from '../parts/states.tsx';
import { useLeave } from '../parts/use-leave.ts';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { Crumbs } from './crumbs.tsx';
import type { Kind, KindName, Place } from './kind.ts';
import { Publication } from './publication.tsx';
import { RecordForm } from './record-form.tsx';

interface Props {
  /** `new` for a new record. */
  id: string;
  name: KindName;
  kind: Kind;
  place: Place;
  /** The address of the list, below the organization. */
  parent: string;
  steps: { label: string; path: string }[];
}

/** The editor of a record, with its publication. */
export function RecordPage(props: Props) {
  return props.id === 'new' ? <NewRecord {...props} /> : <OldRecord {...props} />;
}

function NewRecord({ name, kind, place, parent, steps }: Props) {
  const { content } = useStrings();
  const address = useAddress();
  const navigate = useNavigate();
  return (
    <>
      <Crumbs steps={steps} />
      <PageTitle title={content.create[name]} />
      <RecordForm kind={kind} place={place} onDone={(id) => navigate(address(`${parent}/${id}`), { replace: true })} />
    </>
  );
}

function OldRecord({ id, name, kind, place, parent, steps }: Props) {
  const { content } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  // A cached record would start the form from a former version.
  const query = useQuery({ query: kind.read, variables: { ...place, id }, requestPolicy: 'cache-and-network' });
  const [isEdited, setEdited] = useState(false);
  const onRemoved = () => leaveTo(address(parent));
  const contents = { collections: ['items', content.kinds.items], forms: ['submissions', content.submissions] } as const;
  const [below, label] = name === 'collections' || name === 'forms' ? contents[name] : [];
  return (
    <LoadedPage query={query}>
      {({ record }) => (
        <>
          <Crumbs steps={steps} />
          <PageTitle title={kind.title(record)}>
            {below && (
              <Button component={Link} to={address(`${parent}/${id}/${below}`)} variant="default">
                {label}
              </Button>
            )}
            <Publication kind={kind} record={record} isEdited={isEdited} onRemoved={onRemoved} />
          </PageTitle>
          <RecordForm kind={kind} place={place} record={record} onEdited={setEdited} />
        </>
      )}
    </LoadedPage>
  );
}
