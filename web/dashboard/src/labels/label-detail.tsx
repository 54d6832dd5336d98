import { Accordion, Anchor, Badge, Breadcrumbs, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconHistory, IconPackages } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'react-router';
import type { LabelProductsQuery } from '../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../graph/graph-hooks.ts';
import { usePages } from '../graph/use-pages.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Note, PageLink } from '../parts/elements.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { PageChoice } from '../parts/page-choice.tsx';
import { Empty, Loaded, LoadedPage, onDemand, PageTitle, Section } from '../parts/page-frame.tsx';
import { RecordTabs } from '../parts/tabs.tsx';
import { useUrlState } from '../parts/url-state.ts';
import { useAddress, useGo, useOrganization } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Content, formatValue, type ValueType } from '../values/format.ts';
import { LabelDialog, LabelMenuItems, MoveNote, type Open } from './label-actions.tsx';
import { Below, EnrichButton } from './label-list.tsx';
import { type LabelDetail, type LabelPage, leafOf, operations, type Subject, settingsOf } from './label-subject.ts';

const Values = onDemand(async () => (await import('./label-values.tsx')).LabelValues);

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'enrichments', 'products', 'below', 'set'] };
/** Milliseconds between two reads while products move. */
const FOLLOW = 2_000;

export const Brand = () => <LabelDetailPage subject="brand" />;
export const Category = () => <LabelDetailPage subject="category" />;

/** One brand or category: its values, its history, its products, and for a category its place in the tree and its attribute set. */
function LabelDetailPage({ subject }: { subject: Subject }) {
  const { id = '' } = useParams();
  const query = useQuery({ query: operations[subject].page, variables: { id } });
  const [{ data }, read] = query;
  useInterval(() => data?.label.move && read({ requestPolicy: 'network-only' }), FOLLOW, { autoInvoke: true });
  return <LoadedPage query={query}>{(found) => <Detail subject={subject} data={found} />}</LoadedPage>;
}

function Detail({ subject, data: { label, attributes } }: { subject: Subject; data: LabelPage }) {
  const { labels, terms, pages, formats } = useStrings();
  const { leaveTo } = useGo();
  const [, , bind] = useUrlState(DEFAULTS, CHOICES);
  const [open, setOpen] = useState<Open>(null);
  const { path } = settingsOf[subject];
  const isCategory = subject === 'category';
  const ofCategory = [
    { value: 'below', label: labels.below, content: <Below parentId={label.id} /> },
    { value: 'set', label: pages.attributeSet, content: <CategorySet id={label.id} name={label.name} /> },
  ];
  const tabs = [
    { value: 'values', label: terms.values, content: <Values subject={subject} label={label} attributes={attributes} /> },
    { value: 'enrichments', label: terms.enrichments, content: <LabelHistory subject={subject} id={label.id} /> },
    { value: 'products', label: pages.products, content: <Products subject={subject} label={label} /> },
    ...(isCategory ? ofCategory : []),
  ];
  return (
    <>
      {isCategory && <CategoryPlace id={label.id} />}
      <PageTitle title={label.name}>
        <EnrichButton subject={subject} names={[label.name]} />
        <MoreMenu label={labels.actionsOf(label.name)} beside>
          <LabelMenuItems subject={subject} label={label} onOpen={setOpen} onDeleted={() => leaveTo(path, { replace: true })} />
        </MoreMenu>
      </PageTitle>
      <Group gap="sm" mb="md">
        <Badge variant="default">{labels.productCount(label.totalCount, formats.number(label.totalCount))}</Badge>
        {label.record ? <Note>{labels.slugOf(label.record.slug)}</Note> : <Note>{labels.isNamedText}</Note>}
        {label.move && <MoveNote move={label.move} />}
      </Group>
      <RecordTabs {...bind('tab')} tabs={tabs} />
      {open && (
        <LabelDialog
          subject={subject}
          label={label}
          open={open}
          onClose={() => setOpen(null)}
          onChanged={(next) => leaveTo(`${path}/${next}`, { replace: true })}
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
          empty={{ icon: IconPackages, title: products.empty, text: labels.noProductsText }}
        />
      </div>
    </>
  );
}

const PLACE = graphql(`query CategoryPlace($id: ID!) { category(id: $id) { id ancestors { id name } } }`);

function CategoryPlace({ id }: { id: string }) {
  const { labels, pages } = useStrings();
  const address = useAddress();
  const [{ data }] = useQuery({ query: PLACE, variables: { id } });
  return (
    <Breadcrumbs component="nav" aria-label={labels.path} mb="xs" style={{ flexWrap: 'wrap' }}>
      <Anchor component={Link} to={address('categories?show=top')}>
        {pages.categories}
      </Anchor>
      {data?.category.ancestors.map(({ id: above, name }) => (
        <PageLink key={above} to={`categories/${above}`} label={leafOf(name)} />
      ))}
    </Breadcrumbs>
  );
}

const SET = graphql(`
  query CategorySet($id: ID!) {
    category(id: $id) {
      id
      completeness { products complete percent requiredPercent }
      attributeSet { id name attributeSetAttributes { order required attribute { id name } } }
    }
    attributeSets(subject: product) { id name }
  }
`);
const ASSIGN = graphql(`
  mutation AssignCategorySet($category: String!, $attributeSetId: ID) {
    setCategoryAttributeSet(category: $category, attributeSetId: $attributeSetId) { id attributeSet { id } completeness { percent } }
  }
`);

/** The attributes that products of a category need, and how complete they are. */
function CategorySet({ id, name }: { id: string; name: string }) {
  const { labels, attributes, terms, home, pages, newJob, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const query = useQuery({ query: SET, variables: { id } });
  const [assign, loading] = useAction(ASSIGN, { done: terms.saved });
  return (
    <Loaded query={query}>
      {({ category: { completeness, attributeSet }, attributeSets }) => (
        <Stack maw={760}>
          <Section title={home.completeness}>
            {completeness.percent == null ? (
              <Note>{labels.noCompleteness}</Note>
            ) : (
              <Stack gap={4}>
                <Text>
                  {labels.complete(
                    formats.percent(completeness.percent / 100),
                    formats.number(completeness.complete),
                    formats.number(completeness.products),
                  )}
                </Text>
                {completeness.requiredPercent != null && (
                  <Text>{labels.requiredComplete(formats.percent(completeness.requiredPercent / 100))}</Text>
                )}
                <Group>
                  <PageLink to={`products?category=${encodeURIComponent(name)}&incomplete=100`} label={labels.incompleteProducts} />
                </Group>
              </Stack>
            )}
          </Section>
          <Section title={pages.attributeSet}>
            <Stack gap="xs">
              <Select
                label={labels.chooseSet}
                description={labels.setText}
                placeholder={newJob.allAttributes}
                data={attributeSets.map((each) => ({ value: each.id, label: each.name }))}
                value={attributeSet?.id ?? null}
                onChange={(attributeSetId) => assign({ category: name, attributeSetId })}
                disabled={!isAdmin || loading}
                clearable
                searchable
              />
              {attributeSet && (
                <>
                  <Text>
                    {attributeSet.attributeSetAttributes
                      .map(({ attribute, required }) => (required ? labels.requiredAttribute(attribute.name) : attribute.name))
                      .join(', ')}
                  </Text>
                  <Group>
                    <PageLink to={`attributes/sets/${attributeSet.id}`} label={attributes.sets} />
                  </Group>
                </>
              )}
            </Stack>
          </Section>
        </Stack>
      )}
    </Loaded>
  );
}

type LabelHistoryValues = Record<string, { attributeName: string; attributeType: ValueType; value: Content }>;

/** The enrichments of a brand or category, newest first, with the values that each found. */
function LabelHistory({ subject, id }: { subject: Subject; id: string }) {
  const { labels, jobs, products, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: operations[subject].history, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ label: { enrichments } }) =>
        enrichments.nodes.length === 0 ? (
          <Empty icon={IconHistory} title={products.noHistory} text={labels.noHistoryText} />
        ) : (
          <Stack>
            <Accordion variant="contained">
              {enrichments.nodes.map(({ id: itemId, status, completedAt, createdAt, errorMessage, enrichedData, job }) => {
                const values = Object.entries((enrichedData ?? {}) as LabelHistoryValues);
                return (
                  <Accordion.Item key={itemId} value={itemId}>
                    <Accordion.Control>
                      <Group justify="space-between" pr="md">
                        <Text>{formats.time(completedAt ?? createdAt)}</Text>
                        <Note>{status === 'completed' ? jobs.values(values.length) : jobs.itemStatuses[status]}</Note>
                      </Group>
                    </Accordion.Control>
                    <Accordion.Panel>
                      {errorMessage && <Text>{errorMessage}</Text>}
                      <Found values={values} />
                      <PageLink to={`jobs/${job.id}`} label={labels.job} />
                    </Accordion.Panel>
                  </Accordion.Item>
                );
              })}
            </Accordion>
            <PageChoice page={page} totalPages={enrichments.pagination.totalPages} onPage={setPage} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function Found({ values }: { values: [string, LabelHistoryValues[string]][] }) {
  const strings = useStrings();
  if (values.length === 0) return null;
  return (
    <Table mb="xs">
      <Table.Tbody>
        {values.map(([slug, { attributeName, attributeType, value }]) => (
          <Table.Tr key={slug}>
            <Table.Th scope="row" w="30%">
              {attributeName}
            </Table.Th>
            <Table.Td style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {formatValue(value, attributeType, strings)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
