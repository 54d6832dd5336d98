import { useParams } from 'react-router';
import type { SiteCollectionQuery } from '../../../.graph/graphql.ts';
import { itemsOf } from '../../content/collection-items.ts';
import { isKind, kinds } from '../../content/content-kinds.ts';
import { RecordList } from '../../content/record-list.tsx';
import { Crumbs, RecordPage } from '../../content/record-page.tsx';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { LoadedPage, NotFound, PageTitle } from '../../parts/page-frame.tsx';
import { useAddress } from '../../session/session.tsx';
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

const COLLECTION = graphql(`
  query CollectionOfItems($siteId: ID!, $id: ID!) {
    collection(siteId: $siteId, id: $id) { id name slug fields { name label type required options collectionId } }
  }
`);

/** The items of a collection, or one of them. */
export function CollectionPage() {
  const { site = '', collection = '' } = useParams();
  const query = useQuery({ query: COLLECTION, variables: { siteId: site, id: collection } });
  return <LoadedPage query={query}>{(data) => <Items siteId={site} collection={data.collection} />}</LoadedPage>;
}

function Items({
  siteId,
  collection,
}: {
  siteId: string;
  collection: Omit<SiteCollectionQuery['record'], 'version' | 'updatedAt'>;
}) {
  const { content } = useStrings();
  const address = useAddress();
  const { item } = useParams();
  const { id, name, fields } = collection;
  const kind = itemsOf(id, fields);
  const place = { siteId, collectionId: id };
  const parent = `content/${siteId}/collections/${id}/items`;
  const steps = [
    { label: content.kinds.collections, path: `${siteId}/collections` },
    { label: name, path: `${siteId}/collections/${id}` },
  ];
  if (item) {
    const more = [...steps, { label: content.kinds.items, path: `${siteId}/collections/${id}/items` }];
    return <RecordPage key={item} id={item} name="items" kind={kind} place={place} parent={parent} steps={more} />;
  }
  return (
    <>
      <Crumbs steps={steps} />
      <PageTitle title={name} />
      <RecordList name="items" kind={kind} place={place} to={(record) => address(`${parent}/${record}`)} />
    </>
  );
}
