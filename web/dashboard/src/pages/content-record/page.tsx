import { useParams } from 'react-router';
import { isKind, kinds } from '../../content/content-kinds.ts';
import { RecordPage } from '../../content/record-page.tsx';
import { NotFound } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

/** One record of a site, or a new one. */
export function Page() {
  const { content } = useStrings();
  const { site = '', kind: name, id = 'new' } = useParams();
  if (!isKind(name)) return <NotFound />;
  return (
    <RecordPage
      key={id}
      id={id}
      name={name}
      kind={kinds[name]}
      place={{ siteId: site, collectionId: '' }}
      parent={`content/${site}/${name}`}
      steps={[{ label: content.kinds[name], path: `${site}/${name}` }]}
    />
  );
}
