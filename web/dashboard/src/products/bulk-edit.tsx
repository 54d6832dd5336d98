import { Alert, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import type { ProductEditPreviewQuery, ProductSelection } from '../../.graph/graphql.ts';
import { graphql, useButton, useQuery } from '../graph/graph-hooks.ts';
import { Action, Note } from '../parts/elements.tsx';
import { Modal } from '../parts/forms-and-dialogs.tsx';
import { showProblem } from '../parts/overlays.tsx';
import { useSentence } from '../parts/page-frame.tsx';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Content, formatValue } from '../values/format.ts';
import { EditFields, type EditRow, editOf, emptyRow } from './edit-rows.tsx';

const ATTRIBUTES = graphql(`query EditableAttributes { attributes(subject: product) { id slug name type options unit } }`);
const PREVIEW = graphql(`
  query ProductEditPreview($selection: ProductSelection!, $edits: [ProductEditInput!]!) {
    productEditPreview(selection: $selection, edits: $edits) {
      products checked changed unchanged refused
      changes { productId sku name changes { field attribute label before after } }
      refusals { productId sku name refusal }
    }
  }
`);
const CREATE = graphql(`
  mutation CreateProductEdit($selection: ProductSelection!, $edits: [ProductEditInput!]!) {
    createProductEditJob(selection: $selection, edits: $edits) { ...JobSummary }
  }
`);

type Preview = ProductEditPreviewQuery['productEditPreview'];

interface Props {
  selection: ProductSelection;
  /** Number of selected products, as text. */
  count: string;
  onClose(): void;
}

/** Edits many products: the changes, then a preview, then the job. */
export function BulkEdit({ selection, count, onClose }: Props) {
  const { productEdits, actions } = useStrings();
  const client = useClient();
  const { leaveTo } = useGo();
  const sentence = useSentence();
  const [{ data }] = useQuery({ query: ATTRIBUTES });
  const [rows, setRows] = useState<EditRow[]>([emptyRow(0)]);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isReading, setReading] = useState(false);
  const start = useButton(CREATE, { after: (data) => leaveTo(`jobs/${data.createProductEditJob.id}`) });
  const edits = rows.flatMap((row) => editOf(row) ?? []);
  const isComplete = edits.length === rows.length;

  function change(next: EditRow[]) {
    setRows(next);
    setPreview(null);
  }
  async function show() {
    setReading(true);
    const { data: shown, error } = await client.query(PREVIEW, { selection, edits }, { requestPolicy: 'network-only' });
    setReading(false);
    if (error) showProblem(sentence(error));
    setPreview(shown?.productEditPreview ?? null);
  }
  return (
    <Modal title={productEdits.title(count)} size="xl" guarded onClose={onClose}>
      <Stack>
        {rows.map((row, at) => (
          <EditFields
            key={row.key}
            row={row}
            attributes={data?.attributes ?? []}
            onChange={(next) => change(rows.with(at, next))}
            onRemove={rows.length > 1 ? () => change(rows.toSpliced(at, 1)) : undefined}
          />
        ))}
        <Group justify="space-between">
          <Action
            label={productEdits.add}
            variant="subtle"
            icon={IconPlus}
            disabled={rows.length >= 20}
            onClick={() => change([...rows, emptyRow(rows.at(-1)!.key + 1)])}
          />
          <Action label={actions.preview} variant="default" loading={isReading} disabled={!isComplete} onClick={show} />
        </Group>
        {preview && <PreviewTable preview={preview} />}
        {preview && (
          <Group justify="end">
            <Action
              label={productEdits.start(count)}
              icon={IconPlayerPlay}
              disabled={preview.products === 0}
              {...start({ selection, edits })}
            />
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

function PreviewTable({ preview }: { preview: Preview }) {
  const { products, productEdits, actions, terms, formats } = useStrings();
  const { checked, changed, unchanged, refused } = preview;
  const numbers = [checked, changed, unchanged, refused].map(formats.number) as [string, string, string, string];
  return (
    <Stack gap="xs">
      <Alert color={changed > 0 ? 'blue' : 'yellow'} role="status">
        {productEdits.previewText(...numbers)}
      </Alert>
      <ScrollArea.Autosize mah={360} type="auto">
        <Table
          aria-label={actions.preview}
          data={{
            head: [products.sku, products.name, terms.result],
            body: [
              ...preview.changes.map(({ productId, sku, name, changes }) => [
                sku,
                name,
                <ContentChanges key={productId} changes={changes} />,
              ]),
              ...preview.refusals.map(({ productId, sku, name, refusal }) => [
                sku,
                name,
                <Text key={productId} c="var(--mantine-color-red-light-color)">
                  {refusal}
                </Text>,
              ]),
            ],
          }}
        />
      </ScrollArea.Autosize>
    </Stack>
  );
}

interface Changed {
  field?: string | null;
  label: string;
  before?: Content;
  after?: Content;
}

/** Fields and values before and after an edit, one a line. */
export function ContentChanges({ changes }: { changes: readonly Changed[] }) {
  const strings = useStrings();
  const { products, productEdits, terms } = strings;
  const fields: Record<string, string> = {
    ...products,
    archived: productEdits.archived,
    parentId: products.families.parent,
  } as never;
  const text = (content: Content) => formatValue(content, 'text', strings);
  return changes.map(({ field, label, before, after }) => (
    <Note key={label} style={{ overflowWrap: 'anywhere' }}>
      {terms.changeOf(field ? (fields[field] ?? label) : label, text(before), text(after))}
    </Note>
  ));
}
