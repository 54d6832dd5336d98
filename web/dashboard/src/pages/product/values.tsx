import { ActionIcon, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconPencil, IconTextPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useIsWide } from '../../parts/data-table.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/elements.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Empty } from '../../parts/states.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';
import { type Content, formatValue } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';
import { type ValueDefinition, ValueField } from '../../values/value-field.tsx';

type Product = ProductPageQuery['product'];
type Stored = Product['values'][number];
/** An attribute to edit, with or without a stored value. */
type Editing = ValueDefinition & { slug: string; value: Content };

const WRITE = graphql(`
  mutation WriteValue($id: ID!, $attributes: AttributeValues!) {
    updateProductAttributes(id: $id, attributes: $attributes) { id attributes }
  }
`);

/** Long words break, so that the table fits any screen. */
const WRAP = { overflowWrap: 'anywhere' } as const;

interface Props {
  product: Product;
  attributes: ProductPageQuery['attributes'];
}

/**
 * The values of a product with confidence, source, passage and decision. Attributes without a value come last. On a narrow screen, the value
 * contains the other columns.
 */
export function Values({ product, attributes }: Props) {
  const { products, values: words } = useStrings();
  const [editing, setEditing] = useState<Editing | null>(null);
  const isWide = useIsWide();
  const known = new Set(product.values.map(({ slug }) => slug));
  const missing = attributes.filter(({ slug, isActive }) => isActive && !known.has(slug));
  if (product.values.length === 0 && missing.length === 0) {
    return <Empty icon={IconTextPlus} title={products.noValues} text={products.noValuesText} />;
  }
  return (
    <>
      <Table verticalSpacing="sm" aria-label={products.values}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{products.attribute}</Table.Th>
            <Table.Th>{products.value}</Table.Th>
            {isWide && (
              <>
                <Table.Th>{products.confidence}</Table.Th>
                <Table.Th>{products.origin}</Table.Th>
                <Table.Th>{products.decided}</Table.Th>
              </>
            )}
            <Table.Th w={50}>
              <VisuallyHidden>{words.edit}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {product.values.map((value) => (
            <Row key={value.slug} stored={value} isWide={isWide} onEdit={() => setEditing(editingOf(value))} />
          ))}
          {missing.map(({ slug, name, type, options, unit }) => (
            <Table.Tr key={slug}>
              <Table.Td style={WRAP}>{name}</Table.Td>
              <Table.Td c="dimmed">{words.none}</Table.Td>
              {isWide && <Table.Td colSpan={3} />}
              <Table.Td>
                <EditButton name={name} onClick={() => setEditing({ slug, name, type, options, unit, value: null })} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {editing && <Edit key={editing.slug} productId={product.id} editing={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

const editingOf = ({ slug, attributeName, attributeType, value, attribute }: Stored): Editing => ({
  slug,
  name: attributeName,
  type: attributeType,
  options: attribute?.options,
  unit: attribute?.unit,
  value,
});

function Row({ stored, isWide, onEdit }: { stored: Stored; isWide: boolean; onEdit(): void }) {
  const { values } = useStrings();
  const { strings, formats } = useLanguage();
  const { attributeName, attributeType, value, unit, confidence, decision } = stored;
  const who = decision?.decidedBy?.name || decision?.decidedBy?.email;
  const certainty = typeof confidence === 'number' ? <Confidence value={confidence} /> : values.none;
  const decided = decision ? (
    <>
      <Text size="sm">{values.verdicts[decision.verdict]}</Text>
      <Note size="xs">{who ? values.by(who, formats.ago(decision.decidedAt)) : formats.ago(decision.decidedAt)}</Note>
    </>
  ) : (
    <Note>{typeof confidence === 'number' ? values.unreviewed : values.none}</Note>
  );
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td fw={500} style={WRAP}>
        {attributeName}
      </Table.Td>
      <Table.Td maw={320} style={WRAP}>
        <div style={{ whiteSpace: 'pre-wrap' }}>{formatValue(value, attributeType, strings, formats, unit)}</div>
        {!isWide && (
          <Stack gap={4} mt="xs" align="start">
            {typeof confidence === 'number' && certainty}
            <Origin {...stored} />
            {typeof confidence === 'number' && <div>{decided}</div>}
          </Stack>
        )}
      </Table.Td>
      {isWide && (
        <>
          <Table.Td>{certainty}</Table.Td>
          <Table.Td maw={300} style={WRAP}>
            <Origin {...stored} />
          </Table.Td>
          <Table.Td>{decided}</Table.Td>
        </>
      )}
      <Table.Td>
        <EditButton name={attributeName} onClick={onEdit} />
      </Table.Td>
    </Table.Tr>
  );
}

function EditButton({ name, onClick }: { name: string; onClick(): void }) {
  const { values } = useStrings();
  return (
    <ActionIcon variant="subtle" aria-label={values.editOf(name)} onClick={onClick}>
      <IconPencil size={16} aria-hidden />
    </ActionIcon>
  );
}

function Edit({ productId, editing, onClose }: { productId: string; editing: Editing; onClose(): void }) {
  const { actions, products, values } = useStrings();
  const [value, setValue] = useState(editing.value);
  const [{ fetching }, write] = useMutation(WRITE);
  async function save(event: React.FormEvent) {
    event.preventDefault();
    const attributes = { [editing.slug]: { attributeType: editing.type, value: value ?? null } };
    const { error } = await write({ id: productId, attributes });
    if (error) return;
    showDone(products.saved);
    onClose();
  }
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={values.editOf(editing.name)}
      onSubmit={save}
      submit={actions.save}
      loading={fetching}
    >
      <ValueField definition={editing} value={value} onChange={setValue} readOnly={fetching} />
    </FormDialog>
  );
}
