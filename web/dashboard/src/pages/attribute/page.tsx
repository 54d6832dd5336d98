import { useParams } from 'react-router';
import { useQuery } from '../../graph/use-query.ts';
import { LoadedPage } from '../../parts/states.tsx';
import { useSubject } from '../../parts/use-subject.ts';
import { ATTRIBUTE } from './attribute.ts';
import { Editor } from './editor.tsx';

/** One attribute, or a new one. */
export function Page() {
  const { id = '' } = useParams();
  const [subject] = useSubject();
  if (id === 'new') return <Editor attribute={null} subject={subject} />;
  return <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const query = useQuery({ query: ATTRIBUTE, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ attribute }) => <Editor key={attribute.id} attribute={attribute} subject={attribute.subject} />}
    </LoadedPage>
  );
}
