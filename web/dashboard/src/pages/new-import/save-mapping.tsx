import { TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { FormDialog, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type ColumnChoice, SAVE_MAPPING } from './column-choices.ts';

interface Props {
  columns: ColumnChoice[];
  supplier: string;
  /** Called with the columns, whose new attributes now exist. */
  onSaved(columns: ColumnChoice[]): void;
  onClose(): void;
}

/** Saves the uses of the columns for a supplier, whose next files are recognized by their columns. */
export function SaveMapping({ columns, supplier, onSaved, onClose }: Props) {
  const { mapping, actions, terms } = useStrings();
  const [, save] = useMutation(SAVE_MAPPING);
  const form = useClosingForm({
    initialValues: { supplier },
    validate: { supplier: (name) => (name.trim() ? null : terms.required) },
  });
  async function submit(values: typeof form.values) {
    const { data } = await save({ input: { supplier: values.supplier.trim(), columns } });
    if (!data) return;
    const ids = new Map(data.saveImportMapping.columns.map(({ column, attributeId }) => [column, attributeId]));
    onSaved(columns.map((each) => ({ ...each, newAttribute: undefined, attributeId: ids.get(each.column) })));
    showDone(mapping.saved(data.saveImportMapping.supplier));
    onClose();
  }
  return (
    <FormDialog onClose={onClose} title={mapping.saveTitle} form={form} onSubmit={submit} submit={actions.save}>
      <TextInput
        label={mapping.supplier}
        description={mapping.supplierText}
        maxLength={128}
        data-autofocus
        {...form.getInputProps('supplier')}
      />
    </FormDialog>
  );
}
