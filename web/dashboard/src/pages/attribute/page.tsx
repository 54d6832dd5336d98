import { useParams, useSearchParams } from 'react-router';
import { useQuery } from '../../graph/use-query.ts';
import { LoadedPage } from '../../parts/states.tsx';
import { ATTRIBUTE, type Subject } from './attribute.ts';
import { Editor } from './editor.tsx';

/** One attribute, or a new one. */
export function Page() {
  const { id = '' } = useParams();
  const [parameters] = useSearchParams();
  if (id === 'new') return <Editor attribute={null} subject={(parameters.get('subject') ?? 'product') as Subject} />;
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
