import { Alert, SimpleGrid, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { FoundItemFragment } from '../../../.graph/graphql.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { editsOf, useClosingForm } from '../../parts/form-state.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { CHANGE_ITEM } from './found-items.ts';

const optional = ['brand', 'category', 'manufacturer', 'mpn'] as const;
const lengths = { brand: 128, category: 1024, manufacturer: 256, mpn: 128 };

/** Changes the fields of a found product before it is imported. */
export function EditItem({ item, onClose }: { item: FoundItemFragment; onClose(): void }) {
  const { imports, products, signIn, actions } = useStrings();
  const [{ fetching }, save] = useMutation(CHANGE_ITEM);
  const { name, sku, brand, category, manufacturer, mpn } = item.data;
  const required = (text: string) => (text.trim() ? null : signIn.required);
  const form = useClosingForm({
    initialValues: {
      name,
      sku,
      brand: brand ?? '',
      category: category ?? '',
      manufacturer: manufacturer ?? '',
      mpn: mpn ?? '',
    },
    validate: { name: required, sku: required },
  });
  async function submit(values: typeof form.values) {
    const edits = editsOf(values, form.getInitialValues());
    const input = Object.fromEntries(Object.entries(edits).map(([key, text]) => [key, text.trim() || null]));
    const { data } = await save({ id: item.id, input });
    if (data) onClose();
  }
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={imports.edit}
      size="lg"
      onSubmit={form.onSubmit(submit)}
      submit={actions.save}
      loading={fetching}
    >
      {item.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={products.name} maxLength={256} data-autofocus {...form.getInputProps('name')} />
        <TextInput label={products.sku} maxLength={64} {...form.getInputProps('sku')} />
        {optional.map((key) => (
          <TextInput key={key} label={products[key]} maxLength={lengths[key]} {...form.getInputProps(key)} />
        ))}
      </SimpleGrid>
    </FormDialog>
  );
}
