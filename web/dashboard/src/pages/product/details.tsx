import { Group, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from 'urql';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { LongText, useFieldRefusal, useFollowedForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { showDone } from '../../parts/overlays.tsx';
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

/** The fields that callers write. */
export function Details({ product }: { product: ProductPageQuery['product'] }) {
  const { actions, products, terms } = useStrings();
  const [{ fetching }, update] = useMutation(UPDATE);
  const values = valuesOf(product);
  const form = useForm({
    initialValues: values,
    validate: Object.fromEntries(REQUIRED.map((field) => [field, (text: string) => (text.trim() ? null : terms.required)])),
  });

  useUnsaved(form.isDirty());
  const saveEdits = useFollowedForm(form, values);
  const refuse = useFieldRefusal();

  async function save({ sources, ...fields }: Partial<typeof values>) {
    const empty = OPTIONAL.filter((field) => fields[field]?.trim() === '').map((field) => [field, null]);
    const lines = sources?.split('\n').filter((line) => line.trim());
    const input = { ...fields, ...Object.fromEntries(empty), ...(lines && { userProvidedRawDataSources: lines }) };
    const { error } = await update({ id: product.id, input }, { quiet: true });
    if (error) refuse(form, 'sku', error);
    if (!error) showDone(terms.saved);
    return !error;
  }
  return (
    <form onSubmit={form.onSubmit(() => saveEdits(save))}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {[...REQUIRED, ...OPTIONAL].map((field) => (
          <TextInput key={field} label={products[field]} {...form.getInputProps(field)} />
        ))}
      </SimpleGrid>
      <LongText
        mt="md"
        label={terms.sources}
        description={products.sourcesText}
        rows={[3, 12]}
        {...form.getInputProps('sources')}
      />
      <Group justify="flex-end" mt="md">
        <Action label={actions.save} type="submit" loading={fetching} disabled={!form.isDirty()} />
      </Group>
    </form>
  );
}
