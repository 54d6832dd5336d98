import { useParams } from 'react-router';
import { useQuery } from '../../graph/use-query.ts';
import { LoadedPage } from '../../parts/states.tsx';
import { useSubject } from '../../parts/use-subject.ts';
import { type AttributeSet, CHOICES, SET, type Subject } from './attribute-set.ts';
import { Editor } from './editor.tsx';

/** One attribute set, or a new one. */
export function Page() {
  const { id = '' } = useParams();
  const [subject] = useSubject();
  if (id === 'new') return <WithChoices set={null} subject={subject} />;
  return <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const query = useQuery({ query: SET, variables: { id } });
  return (
    <LoadedPage query={query}>{({ attributeSet: set }) => <WithChoices key={set.id} set={set} subject={set.subject} />}</LoadedPage>
  );
}

function WithChoices({ set, subject }: { set: AttributeSet | null; subject: Subject }) {
  const query = useQuery({ query: CHOICES, variables: { subject } });
  return <LoadedPage query={query}>{({ attributes }) => <Editor set={set} subject={subject} choices={attributes} />}</LoadedPage>;
}
