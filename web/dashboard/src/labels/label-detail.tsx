import { Badge, Group, Tabs, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconPackages } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import type { LabelProductsQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { usePages } from '../graph/use-pages.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Note, PageLink } from '../parts/elements.tsx';
import { useLeave } from '../parts/leaving.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { Empty, LoadedPage, PageTitle } from '../parts/page-frame.tsx';
import { useUrlState } from '../parts/url-state.ts';
import { useAddress } from '../session/organization-choice.tsx';
import { useStrings } from '../strings/strings.tsx';
import { CategoryPlace, CategorySet } from './category-place.tsx';
import { LabelDialog, LabelMenuItems, MoveNote, type Open } from './label-actions.tsx';
import { LabelHistory } from './label-history.tsx';
import { Below, EnrichButton } from './label-list.tsx';
import { type LabelDetail, type LabelPage, operations, type Subject, settingsOf } from './label-subject.ts';

const Values = lazy(async () => ({ default: (await import('./label-values.tsx')).LabelValues }));

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'enrichments', 'products', 'below', 'set'] };
/** Milliseconds between two reads while products move. */
const FOLLOW = 2_000;

/** One brand or category: its values, its history, its products, and for a category its place in the tree and its attribute set. */
export function LabelDetailPage({ subject }: { subject: Subject }) {
  const { id = '' } = useParams();
  const query = useQuery({ query: operations[subject].page, variables: { id } });
  const [{ data }, read] = query;
  useInterval(() => data?.label.move && read({ requestPolicy: 'network-only' }), FOLLOW, { autoInvoke: true });
  return <LoadedPage query={query}>{(found) => <Detail subject={subject} data={found} />}</LoadedPage>;
}

function Detail({ subject, data: { label, attributes } }: { subject: Subject; data: LabelPage }) {
  const { labels, terms, pages, formats } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [{ tab }, change] = useUrlState(DEFAULTS, CHOICES);
  const [open, setOpen] = useState<Open>(null);
  const { path } = settingsOf[subject];
  const isCategory = subject === 'category';
  const shown = !isCategory && (tab === 'below' || tab === 'set') ? 'values' : tab;
  const tabs = [
    ['values', terms.values],
    ['enrichments', terms.enrichments],
    ['products', pages.products],
    ...(isCategory ? [['below', labels.below] as const, ['set', pages.attributeSet] as const] : []),
  ] as const;
  return (
    <>
      {isCategory && <CategoryPlace id={label.id} />}
      <PageTitle title={label.name}>
        <EnrichButton subject={subject} names={[label.name]} />
        <MoreMenu label={labels.actionsOf(label.name)} beside>
          <LabelMenuItems
            subject={subject}
            label={label}
            onOpen={setOpen}
            onDeleted={() => leaveTo(address(path), { replace: true })}
          />
        </MoreMenu>
      </PageTitle>
      <Group gap="sm" mb="md">
        <Badge variant="default">{labels.productCount(label.totalCount, formats.number(label.totalCount))}</Badge>
        {label.record ? <Note>{labels.slugOf(label.record.slug)}</Note> : <Note>{labels.isNamedText}</Note>}
        {label.move && <MoveNote move={label.move} />}
      </Group>
      <Tabs value={shown} onChange={(next) => change({ tab: next ?? 'values' })} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map(([value, title]) => (
            <Tabs.Tab key={value} value={value}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="values">
          <Suspense>
            <Values subject={subject} label={label} attributes={attributes} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="enrichments">
          <LabelHistory subject={subject} id={label.id} />
        </Tabs.Panel>
        <Tabs.Panel value="products">
          <Products subject={subject} label={label} />
        </Tabs.Panel>
        {isCategory && (
          <>
            <Tabs.Panel value="below">
              <Below parentId={label.id} />
            </Tabs.Panel>
            <Tabs.Panel value="set">
              <CategorySet id={label.id} name={label.name} />
            </Tabs.Panel>
          </>
        )}
      </Tabs>
      {open && (
        <LabelDialog
          subject={subject}
          label={label}
          open={open}
          onClose={() => setOpen(null)}
          onChanged={(next) => leaveTo(address(`${path}/${next}`), { replace: true })}
        />
      )}
    </>
  );
}

const PRODUCTS = graphql(`
  query LabelProducts($page: Int!, $limit: Int!, $filter: ProductFilter!) {
    products(page: $page, limit: $limit, orderBy: createdAt, filter: $filter) {
      nodes { id name sku category completeness { percent } }
      pagination { total }
    }
  }
`);
type Row = LabelProductsQuery['products']['nodes'][number];

/** The products of a brand, or of a category and those below it. */
function Products({ subject, label: { name, totalCount } }: { subject: Subject; label: LabelDetail }) {
  const { labels, products, pages, formats } = useStrings();
  const variables = useMemo(() => ({ filter: subject === 'brand' ? { brand: name } : { categoryBelow: name } }), [subject, name]);
  const rows = usePages(PRODUCTS, variables, (data) => data.products);
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: products.name,
      cell: (row) => <PageLink to={`products/${row.id}`} label={row.name} truncate display="block" title={row.name} />,
    },
    { key: 'sku', title: products.sku, width: 130, cell: ({ sku }) => sku },
    ...(subject === 'category'
      ? [{ key: 'category', title: products.category, from: 'md' as const, width: 260, cell: ({ category }: Row) => category }]
      : []),
    {
      key: 'completeness',
      title: products.completeness,
      from: 'sm',
      width: 120,
      cell: ({ completeness: { percent } }) => (percent == null ? null : formats.percent(percent / 100)),
    },
  ];
  return (
    <>
      {totalCount > 0 && (
        <Text mb="sm">
          <PageLink to={`products?${subject}=${encodeURIComponent(name)}`} label={labels.inProducts} />
        </Text>
      )}
      <div style={{ height: '60dvh', display: 'flex', flexDirection: 'column' }}>
        <DataTable<Row>
          fixed
          label={pages.products}
          columns={columns}
          rows={rows}
          empty={<Empty icon={IconPackages} title={products.empty} text={labels.noProductsText} />}
        />
      </div>
    </>
  );
}
