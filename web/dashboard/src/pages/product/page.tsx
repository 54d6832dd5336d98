import { Anchor, Badge, Group, List, SimpleGrid, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useMutation } from 'urql';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Action, Note, PageLink } from '../../parts/elements.tsx';
import { LongText } from '../../parts/fields.tsx';
import { useFollowedForm } from '../../parts/form-state.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { showDone } from '../../parts/overlays.tsx';
import { PageTitle, Section } from '../../parts/page-frame.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { ProductMenu } from '../../products/product-editing.tsx';
import { useAddress } from '../../session/organization-choice.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { Enrichments, Validations } from './histories.tsx';
import { Values } from './values.tsx';

const PRODUCT = graphql(`
  query ProductPage($id: ID!) {
    product(id: $id) {
      id name sku brand category manufacturer mpn uom externalId isParent enriched archived createdAt updatedAt
      userProvidedRawDataSources
      completeness { percent requiredPercent missing { id } }
      parent { id name }
      variants { id name sku }
      images { id url sourceUrl alt }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl snippet at unit
        cell { file row column }
        job { id kind }
        attribute { id name type options unit }
        decision { verdict decidedAt decidedBy { id name email } }
      }
    }
    attributes(subject: product) { id slug name type options unit isActive }
  }
`);

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'enrichments', 'validations', 'details'] };

/** One product: its values with their origins, its histories, its details. */
export function Page() {
  const { products, productEdits } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { id = '' } = useParams();
  const [{ tab }, change] = useUrlState(DEFAULTS, CHOICES);
  const query = useQuery({ query: PRODUCT, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ product, attributes }) => (
        <>
          <PageTitle title={product.name}>
            <Action
              label={products.start}
              component={Link}
              to={address('jobs/new')}
              state={{ productIds: [product.id] }}
              icon={IconPlayerPlay}
            />
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
            {product.brand && <Text size="sm">{product.brand}</Text>}
            {product.parent && <PageLink to={`products/${product.parent.id}`} label={product.parent.name} />}
            <Note>{`${products.updated}: ${formats.ago(product.updatedAt)}`}</Note>
          </Group>
          <Tabs value={tab} onChange={(next) => change({ tab: next ?? 'values' })} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="values">{products.values}</Tabs.Tab>
              <Tabs.Tab value="enrichments">{products.enrichmentHistory}</Tabs.Tab>
              <Tabs.Tab value="validations">{products.validationHistory}</Tabs.Tab>
              <Tabs.Tab value="details">{products.details}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="values">
              <Values product={product} attributes={attributes} />
            </Tabs.Panel>
            <Tabs.Panel value="enrichments">
              <Enrichments productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="validations">
              <Validations productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="details">
              <Details key={product.id} product={product} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </LoadedPage>
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

/** The fields that callers write, and what jobs collected beside values. */
function Details({ product }: { product: ProductPageQuery['product'] }) {
  const { actions, products, signIn } = useStrings();
  const [{ fetching }, update] = useMutation(UPDATE);
  const values = valuesOf(product);
  const form = useForm({
    initialValues: values,
    validate: Object.fromEntries(REQUIRED.map((field) => [field, (text: string) => (text.trim() ? null : signIn.required)])),
  });

  useUnsaved(form.isDirty());
  const saveEdits = useFollowedForm(form, values);

  async function save({ sources, ...fields }: Partial<typeof values>) {
    const empty = OPTIONAL.filter((field) => fields[field]?.trim() === '').map((field) => [field, null]);
    const lines = sources?.split('\n').filter((line) => line.trim());
    const input = { ...fields, ...Object.fromEntries(empty), ...(lines && { userProvidedRawDataSources: lines }) };
    const { error } = await update({ id: product.id, input });
    if (!error) showDone(products.saved);
    return !error;
  }
  return (
    <Stack>
      <form onSubmit={form.onSubmit(() => saveEdits(save))}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {[...REQUIRED, ...OPTIONAL].map((field) => (
            <TextInput key={field} label={products[field]} {...form.getInputProps(field)} />
          ))}
        </SimpleGrid>
        <LongText
          mt="md"
          label={products.sources}
          description={products.sourcesText}
          rows={[3, 12]}
          {...form.getInputProps('sources')}
        />
        <Group justify="flex-end" mt="md">
          <Action label={actions.save} type="submit" loading={fetching} disabled={!form.isDirty()} />
        </Group>
      </form>
      <Variants product={product} />
      <Images product={product} />
    </Stack>
  );
}

function Variants({ product: { variants } }: { product: ProductPageQuery['product'] }) {
  const { products } = useStrings();
  const address = useAddress();
  if (variants.length === 0) return null;
  return (
    <Section title={products.variants}>
      <List>
        {variants.map(({ id, name, sku }) => (
          <List.Item key={id}>
            <Anchor component={Link} to={address(`products/${id}`)}>
              {name}
            </Anchor>{' '}
            {sku}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

/** Images stay links: the dashboard loads nothing from other hosts. */
function Images({ product: { images } }: { product: ProductPageQuery['product'] }) {
  const { products } = useStrings();
  const web = images.filter(({ url }) => /^https?:\/\//i.test(url));
  if (web.length === 0) return null;
  return (
    <Section title={products.images}>
      <Note mb="xs">{products.imagesText}</Note>
      <List>
        {web.map(({ id, url, alt }) => (
          <List.Item key={id}>
            <Anchor href={url} target="_blank" rel="noopener noreferrer" style={{ overflowWrap: 'anywhere' }}>
              {alt || url}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
