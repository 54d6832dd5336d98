import { ActionIcon, Group, Stack, Table, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp, IconPencil, IconTextPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../graph/graph-hooks.ts';
import { useIsWide } from '../parts/data-table.tsx';
import { Note } from '../parts/elements.tsx';
import { FormDialog } from '../parts/forms-and-dialogs.tsx';
import { Empty } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Content, formatValue } from '../values/format.ts';
import { Confidence, Origin } from '../values/origin.tsx';
import { type ValueDefinition, ValueField } from '../values/value-field.tsx';
import { type LabelDetail, type LabelPage, operations, type Subject } from './label-subject.ts';

type Stored = LabelDetail['values'][number];
type Editing = ValueDefinition & { slug: string; value: Content };

/** Long words break, so that the table fits any screen. */
const WRAP = { overflowWrap: 'anywhere' } as const;

interface Props {
  subject: Subject;
  label: LabelDetail;
  attributes: LabelPage['attributes'];
}

/** The values of a brand or category with their sources. A value that a person enters replaces that of the enrichment until it is removed. */
export function LabelValues({ subject, label, attributes }: Props) {
  const { labels, products, values: words, terms, pages, actions } = useStrings();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [write, fetching] = useAction(operations[subject].write, { done: labels.restored });
  const isWide = useIsWide();
  const known = new Set(label.values.map(({ slug }) => slug));
  const missing = attributes.filter(({ slug, isActive }) => isActive && !known.has(slug));
  if (label.values.length === 0 && missing.length === 0)
    return <Empty icon={IconTextPlus} title={products.noValues} text={labels.noValuesText[subject]} />;
  const restore = (slug: string) => write({ id: label.id, attributes: {}, remove: [slug] });
  return (
    <>
      <Table verticalSpacing="sm" aria-label={terms.values}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{pages.attribute}</Table.Th>
            <Table.Th>{terms.value}</Table.Th>
            {isWide && (
              <>
                <Table.Th>{terms.confidence}</Table.Th>
                <Table.Th>{terms.source}</Table.Th>
              </>
            )}
            <Table.Th w={90}>
              <VisuallyHidden>{actions.edit}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {label.values.map((stored) => (
            <Row
              key={stored.slug}
              stored={stored}
              isWide={isWide}
              busy={fetching}
              onEdit={() => setEditing(editingOf(stored))}
              onRestore={() => restore(stored.slug)}
            />
          ))}
          {missing.map(({ slug, name, type, options, unit }) => (
            <Table.Tr key={slug}>
              <Table.Td style={WRAP}>{name}</Table.Td>
              <Table.Td c="dimmed">{words.none}</Table.Td>
              {isWide && <Table.Td colSpan={2} />}
              <Table.Td>
                <EditButton name={name} onClick={() => setEditing({ slug, name, type, options, unit, value: null })} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {editing && <Edit key={editing.slug} subject={subject} id={label.id} editing={editing} onClose={() => setEditing(null)} />}
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

interface RowProps {
  stored: Stored;
  isWide: boolean;
  busy: boolean;
  onEdit(): void;
  onRestore(): void;
}

function Row({ stored, isWide, busy, onEdit, onRestore }: RowProps) {
  const strings = useStrings();
  const { labels, values, formats } = strings;
  const { attributeName, attributeType, value, attribute, confidence, itemId, at } = stored;
  const certainty = typeof confidence === 'number' ? <Confidence value={confidence} /> : values.none;
  const origin = (
    <>
      <Origin {...stored} isOwn={!itemId} />
      {!itemId && at && <Note size="xs">{formats.ago(at)}</Note>}
    </>
  );
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td fw={500} style={WRAP}>
        {attributeName}
      </Table.Td>
      <Table.Td maw={420} style={WRAP}>
        <div style={{ whiteSpace: 'pre-wrap' }}>{formatValue(value, attributeType, strings, { unit: attribute?.unit })}</div>
        {!isWide && (
          <Stack gap={4} mt="xs" align="start">
            {typeof confidence === 'number' && certainty}
            {origin}
          </Stack>
        )}
      </Table.Td>
      {isWide && (
        <>
          <Table.Td>{certainty}</Table.Td>
          <Table.Td maw={300} style={WRAP}>
            {origin}
          </Table.Td>
        </>
      )}
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <EditButton name={attributeName} onClick={onEdit} />
          {!itemId && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={labels.restoreOf(attributeName)}
              disabled={busy}
              onClick={onRestore}
            >
              <IconArrowBackUp size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
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

function Edit({ subject, id, editing, onClose }: { subject: Subject; id: string; editing: Editing; onClose(): void }) {
  const { actions, labels, values, terms } = useStrings();
  const [value, setValue] = useState(editing.value);
  const [write, fetching] = useAction(operations[subject].write, { done: terms.saved, after: onClose });
  const written = { [editing.slug]: { attributeType: editing.type, attributeName: editing.name, value: value ?? null } };
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={values.editOf(editing.name)}
      onSubmit={() => write({ id, attributes: written, remove: [] })}
      submit={actions.save}
    >
      <ValueField definition={editing} value={value} onChange={setValue} readOnly={fetching} />
      <Note>{labels.enteredText}</Note>
    </FormDialog>
  );
}
