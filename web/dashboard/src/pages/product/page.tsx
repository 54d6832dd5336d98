import { Anchor, Badge, Center, Group, Image, Loader, Paper, SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconPhotoOff, IconPlayerPlay } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Action, LinkAction, Note, PageLink } from '../../parts/elements.tsx';
import { LongText, useFollowedForm, useForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { LoadedPage, PageTitle } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { RecordTabs } from '../../parts/tabs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { ProductMenu } from '../../products/product-editing.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Enrichments, Validations } from './histories.tsx';
import { Values } from './values.tsx';
import { Offers, Variants } from './variants.tsx';

const PRODUCT = graphql(`
  query ProductPage($id: ID!) {
    product(id: $id) {
      id name sku brand category manufacturer mpn uom externalId isParent enriched archived createdAt updatedAt
      userProvidedRawDataSources
      completeness { percent requiredPercent missing { id } }
      categorySummary { id attributeSet { id } }
      parent { id name }
      variants { id }
      images { id url sourceUrl alt }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl sourceTitle snippet at unit
        cell { file row column }
        job { id kind }
        acceptedBy { precision }
        decision { verdict decidedAt decidedBy { id name email } }
      }
    }
    attributeSets(subject: product) { id name attributeSetAttributes { required attribute { id slug } } }
  }
`);

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'variants', 'offers', 'enrichments', 'validations', 'details'] };

/** One product: its pictures, its values with their origins, its variants and offers, its histories, its details. */
export function Page() {
  const { products, productEdits, jobs, terms, formats } = useStrings();
  const { id = '' } = useParams();
  const [, , bind] = useUrlState(DEFAULTS, CHOICES);
  const query = useQuery({ query: PRODUCT, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ product, attributeSets }) => (
        <>
          <PageTitle title={product.name}>
            <LinkAction label={jobs.start} to="jobs/new" state={{ productIds: [product.id] }} icon={IconPlayerPlay} />
            <ProductMenu product={product} />
          </PageTitle>
          <Group gap="sm" mb="md">
            <Badge variant="default">{product.sku}</Badge>
            {product.completeness.percent != null && (
              <Badge variant="light" color={product.completeness.missing.length === 0 ? 'teal' : 'gray'}>
                {`${products.completeness}: ${formats.percent(product.completeness.percent / 100)}`}
              </Badge>
            )}
            {product.archived && <Badge color="orange">{productEdits.archived}</Badge>}
            {product.brand && <Text>{product.brand}</Text>}
            {product.parent && <PageLink to={`products/${product.parent.id}`} label={product.parent.name} />}
            <Note>{`${terms.changed}: ${formats.ago(product.updatedAt)}`}</Note>
          </Group>
          <Pictures images={product.images} />
          <RecordTabs
            {...bind('tab')}
            tabs={[
              { value: 'values', label: terms.values, content: <Values product={product} sets={attributeSets} /> },
              ...(product.variants.length > 0
                ? [{ value: 'variants', label: products.variants, content: <Variants productId={product.id} /> }]
                : []),
              { value: 'offers', label: terms.offers, content: <Offers productId={product.id} /> },
              { value: 'enrichments', label: terms.enrichments, content: <Enrichments productId={product.id} /> },
              { value: 'validations', label: products.validationHistory, content: <Validations productId={product.id} /> },
              { value: 'details', label: products.details, content: <Details key={product.id} product={product} /> },
            ]}
          />
        </>
      )}
    </LoadedPage>
  );
}

const CONTENT = graphql(`query PictureContent($id: ID!) { productImageContent(id: $id) }`);

type Picture = ProductPageQuery['product']['images'][number];
/** Pictures that the page loads. */
const SHOWN = 6;

/** The pictures of a product. The server reads them, so that the browser of the reader visits no other host. */
function Pictures({ images }: { images: readonly Picture[] }) {
  const { products } = useStrings();
  const web = images.filter(({ url }) => /^https?:\/\//i.test(url));
  if (web.length === 0) return null;
  return (
    <Group component="section" aria-label={products.images} gap="sm" mb="md" align="stretch">
      {web.slice(0, SHOWN).map((picture) => (
        <Tile key={picture.id} picture={picture} />
      ))}
      {web.length > SHOWN && (
        <Center>
          <Note>{products.morePictures(web.length - SHOWN)}</Note>
        </Center>
      )}
    </Group>
  );
}

function Tile({ picture: { id, url, alt } }: { picture: Picture }) {
  const { products } = useStrings();
  const [{ data, fetching }] = useQuery({ query: CONTENT, variables: { id }, requestPolicy: 'cache-first' });
  const content = data?.productImageContent;
  return (
    <Anchor size="md" href={url} target="_blank" rel="noopener noreferrer" aria-label={alt || products.picture}>
      <Paper withBorder w={140} h={140} style={{ overflow: 'hidden' }}>
        {content ? (
          <Image src={content} alt="" w={140} h={140} fit="contain" />
        ) : (
          <Center h="100%" p="xs" style={{ flexDirection: 'column' }}>
            {fetching ? <Loader size="sm" type="dots" /> : <IconPhotoOff size={24} stroke={1.5} aria-hidden />}
            <Text size="xs" ta="center" lineClamp={3} mt={4}>
              {alt || new URL(url).host}
            </Text>
          </Center>
        )}
      </Paper>
    </Anchor>
  );
}

const UPDATE = graphql(`
  mutation UpdateProduct($id: ID!, $input: ProductChange!) {
    updateProduct(id: $id, input: $input) { id name sku brand category manufacturer mpn uom externalId userProvidedRawDataSources updatedAt }
  }
`);
const REQUIRED = ['name', 'sku'] as const;
const OPTIONAL = ['brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId'] as const;

const valuesOf = (product: ProductPageQuery['product']) => ({
  ...(Object.fromEntries([...REQUIRED, ...OPTIONAL].map((field) => [field, product[field] ?? ''])) as Record<
    (typeof REQUIRED)[number] | (typeof OPTIONAL)[number],
    string
  >),
  sources: product.userProvidedRawDataSources.join('\n'),
});

function Details({ product }: { product: ProductPageQuery['product'] }) {
  const { actions, products, terms } = useStrings();
  const [update, isSaving] = useAction(UPDATE, { done: terms.saved, failed: (error) => refuse(form, 'sku', error) });
  const values = valuesOf(product);
  const form = useForm({ initialValues: values, required: REQUIRED });

  useUnsaved(form.isDirty());
  const saveEdits = useFollowedForm(form, values);
  const refuse = useFieldRefusal();

  function save({ sources, ...fields }: Partial<typeof values>) {
    const empty = OPTIONAL.filter((field) => fields[field]?.trim() === '').map((field) => [field, null]);
    const lines = sources?.split('\n').filter((line) => line.trim());
    const input = { ...fields, ...Object.fromEntries(empty), ...(lines && { userProvidedRawDataSources: lines }) };
    return update({ id: product.id, input });
  }
  return (
    <form onSubmit={form.onSubmit(() => saveEdits(save))}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {[...REQUIRED, ...OPTIONAL].map((field) => (
          <TextInput key={field} {...form.field(field, products[field])} />
        ))}
      </SimpleGrid>
      <LongText {...form.field('sources', terms.sources, products.sourcesText)} mt="md" rows={[3, 12]} />
      <Group justify="flex-end" mt="md">
        <Action label={actions.save} type="submit" loading={isSaving} disabled={!form.isDirty()} />
      </Group>
    </form>
  );
}
