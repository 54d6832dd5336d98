import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ProductExportField, ProductSelection } from '../../../.graph/graphql.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { FormDialog } from '../../parts/forms-and-dialogs.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { columnKeys, columnSlugs, type Field, useColumnNames } from './list-columns.tsx';

const START = graphql(`
  mutation StartProductExport(
    $selection: ProductSelection!, $format: ProductExportFormat!, $fields: [ProductExportField!], $attributes: [String!]
  ) {
    createProductExportJob(selection: $selection, format: $format, fields: $fields, attributes: $attributes) { ...JobSummary }
  }
`);

/** The fields of a file that a column of the list shows. No product has its completeness as a field. */
const fieldsOf = (field: Field): ProductExportField[] =>
  field === 'state' ? ['archived', 'enriched'] : field === 'completeness' ? [] : [field];

interface Choice {
  selection: ProductSelection;
  /** Number of products, as text. */
  count: string;
}

interface Props {
  /** All products of the list, and those that are selected. */
  all: Choice;
  selected: Choice | null;
  /** The columns of the list, as the address has them. */
  columns: string;
  onClose(): void;
}

/** Starts a job that writes products to a file, and leads to its page, which offers the file. */
export function ExportDialog({ all, selected, columns, onClose }: Props) {
  const { productExports: words, pages, terms } = useStrings();
  const { leaveTo } = useGo();
  const nameOf = useColumnNames();
  const [products, setProducts] = useState(selected ? 'selected' : 'all');
  const [format, setFormat] = useState<'csv' | 'jsonl'>('csv');
  const [extent, setExtent] = useState('all');
  const [start] = useAction(START, {
    after: ({ createProductExportJob: { id } }) => leaveTo(`jobs/${id}`),
  });
  const keys = columnKeys(columns).filter((key) => key !== 'completeness');
  const slugs = columnSlugs(keys);
  const fields = keys.filter((key): key is Field => !slugs.includes(key.slice(1))).flatMap(fieldsOf);
  function submit() {
    const { selection } = products === 'selected' && selected ? selected : all;
    return start({ selection, format, ...(extent === 'shown' && { fields: ['name' as const, ...fields], attributes: slugs }) });
  }
  return (
    <FormDialog title={words.title} submit={words.start} onClose={onClose} onSubmit={submit}>
      {selected && (
        <Radio.Group label={pages.products} value={products} onChange={setProducts}>
          <Stack gap="xs" mt="xs">
            <Radio value="selected" label={words.selected(selected.count)} />
            <Radio value="all" label={words.all(all.count)} />
          </Stack>
        </Radio.Group>
      )}
      <Radio.Group label={terms.format} value={format} onChange={(next) => setFormat(next as typeof format)}>
        <Stack gap="xs" mt="xs">
          <Radio value="csv" label={words.formats.csv} />
          <Radio value="jsonl" label={words.formats.jsonl} />
        </Stack>
      </Radio.Group>
      <Radio.Group label={terms.columns} value={extent} onChange={setExtent}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={words.allColumns} description={words.allColumnsText} />
          <Radio value="shown" label={words.shownColumns} description={['SKU', nameOf('name'), ...keys.map(nameOf)].join(', ')} />
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
