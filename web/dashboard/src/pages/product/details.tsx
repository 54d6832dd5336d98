import { Anchor, Button, Group, List, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { Section } from '../../parts/section.tsx';
import { showDone } from '../../parts/toast.ts';
import { useUnsaved } from '../../parts/unsaved.ts';
import { useFollowedForm } from '../../parts/use-followed-form.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';

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
export function Details({ product }: { product: ProductPageQuery['product'] }) {
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
        <Textarea
          mt="md"
          label={products.sources}
          description={products.sourcesText}
          autosize
          minRows={3}
          maxRows={12}
          {...form.getInputProps('sources')}
        />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={fetching} disabled={!form.isDirty()}>
            {actions.save}
          </Button>
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
      <Text size="sm" c="dimmed" mb="xs">
        {products.imagesText}
      </Text>
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
