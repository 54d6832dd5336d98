import { ActionIcon, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconHistory, IconPencil, IconTextPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { CleanHtml, sanitize } from '../../parts/clean-html.tsx';
import { useIsWide } from '../../parts/data-table.tsx';
import { Note, Tag } from '../../parts/elements.tsx';
import { FormDialog } from '../../parts/forms-and-dialogs.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { formatValue, isEmpty, type ValueType } from '../../values/format.ts';
import { Confidence, Origin } from '../../values/origin.tsx';
import { LimitWarning, useLimitCheck, ValueField } from '../../values/value-field.tsx';
import { ValueHistory } from './histories.tsx';

const WRITE = graphql(`
  mutation WriteValue($id: ID!, $attributes: AttributeValues!) {
    updateProductAttributes(id: $id, attributes: $attributes) { id attributes }
  }
`);

/** Long words break, so that the table fits any screen. */
const WRAP = { overflowWrap: 'anywhere' } as const;

/**
 * The values of a product by attribute set, with confidence, source, passage and decision. Attributes without a value keep their places, so
 * that the focus stays where a value is entered. On a narrow screen, the value contains the other columns.
 */
export function Values({ product, sets }: { product: ProductPageQuery['product']; sets: ProductPageQuery['attributeSets'] }) {
  const { products, terms, pages, actions } = useStrings();
  const [editing, setEditing] = useState<string | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const isWide = useIsWide();
  const definitions = useDefinitions();
  const groups = useMemo(() => groupValues(product, sets, definitions), [product, sets, definitions]);
  const lines = new Map(groups.flatMap((group) => group.lines.map((line) => [line.slug, line] as const)));
  if (lines.size === 0) return <Empty icon={IconTextPlus} title={products.noValues} text={products.noValuesText} />;
  const [edited, past] = [lines.get(editing ?? ''), lines.get(shown ?? '')];
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
                <Table.Th>{products.decided}</Table.Th>
              </>
            )}
            <Table.Th w={isWide ? 84 : 50}>
              <VisuallyHidden>{actions.edit}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        {groups.map(({ id, name, lines: ofGroup }) => (
          <Table.Tbody key={id}>
            {groups.length > 1 && (
              <Table.Tr>
                <Table.Th colSpan={isWide ? 6 : 3} scope="rowgroup" c="dimmed" fz="xs">
                  {name ?? products.otherAttributes}
                </Table.Th>
              </Table.Tr>
            )}
            {ofGroup.map((line) => (
              <Row
                key={line.slug}
                line={line}
                isWide={isWide}
                onEdit={() => setEditing(line.slug)}
                onHistory={() => setShown(line.slug)}
              />
            ))}
          </Table.Tbody>
        ))}
      </Table>
      {edited && <Edit key={edited.slug} productId={product.id} line={edited} onClose={() => setEditing(null)} />}
      {past && (
        <ValueHistory
          productId={product.id}
          slug={past.slug}
          name={past.name}
          current={past.stored?.value}
          definition={past.definition}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

interface RowProps {
  line: Line;
  isWide: boolean;
  onEdit(): void;
  onHistory(): void;
}

function Row({ line: { name, stored, definition, isExpected, isRequired }, isWide, onEdit, onHistory }: RowProps) {
  const strings = useStrings();
  const { values, products, formats } = strings;
  const decision = stored?.decision;
  const rule = stored?.acceptedBy && values.rule(formats.precisePercent(stored.acceptedBy.precision));
  const who = decision?.decidedBy?.name || decision?.decidedBy?.email || rule;
  const confidence = stored?.confidence;
  const isByJob = typeof confidence === 'number';
  const certainty = isByJob ? <Confidence value={confidence} /> : values.none;
  const decided = decision ? (
    <>
      <Text>{values.verdicts[decision.verdict]}</Text>
      <Note size="xs">{who ? values.by(who, formats.ago(decision.decidedAt)) : formats.ago(decision.decidedAt)}</Note>
    </>
  ) : (
    <Note>{isByJob ? values.unreviewed : values.none}</Note>
  );
  const isMissing = !stored || isEmpty(stored.value);
  const isHtml = stored?.attributeType === 'html' && typeof stored.value === 'string';
  const meaning = { unit: stored?.unit, ...definition };
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td fw={500} style={WRAP}>
        {name}
      </Table.Td>
      <Table.Td maw={320} style={WRAP}>
        {isMissing && isExpected ? (
          <Tag label={isRequired ? products.missingRequired : products.missingValue} color={isRequired ? 'red' : 'orange'} />
        ) : isHtml && !isMissing ? (
          <CleanHtml html={sanitize(stored.value as string)} />
        ) : (
          <div style={{ whiteSpace: 'pre-wrap' }}>
            {formatValue(stored?.value, stored?.attributeType ?? 'text', strings, meaning)}
          </div>
        )}
        {!isWide && stored && (
          <Stack gap={4} mt="xs" align="start">
            {isByJob && certainty}
            <Origin {...stored} isOwn={!stored.at} />
            {isByJob && <div>{decided}</div>}
          </Stack>
        )}
      </Table.Td>
      {isWide && stored && (
        <>
          <Table.Td>{certainty}</Table.Td>
          <Table.Td maw={300} style={WRAP}>
            <Origin {...stored} isOwn={!stored.at} />
          </Table.Td>
          <Table.Td>{decided}</Table.Td>
        </>
      )}
      {isWide && !stored && <Table.Td colSpan={3} />}
      <Table.Td>
        <Group gap={4} wrap={isWide ? 'nowrap' : 'wrap'}>
          <ActionIcon variant="subtle" aria-label={values.editOf(name)} onClick={onEdit}>
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" aria-label={products.historyOf(name)} onClick={onHistory}>
            <IconHistory size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function Edit({ productId, line, onClose }: { productId: string; line: Line; onClose(): void }) {
  const { actions, values, terms } = useStrings();
  const { slug, name, type, stored, definition } = line;
  const [value, setValue] = useState(stored?.value);
  const [write, fetching] = useAction(WRITE, { done: terms.saved, after: onClose });
  const { mayStore, warningOf } = useLimitCheck();
  const warning = warningOf(value);
  async function save() {
    if (!(await mayStore(slug, type, value))) return;
    await write({ id: productId, attributes: { [slug]: { attributeType: type, value: value ?? null } } });
  }
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={values.editOf(name)}
      onSubmit={save}
      submit={warning === null ? actions.save : values.saveAnyway}
    >
      <ValueField definition={{ ...definition, name, type }} value={value} onChange={setValue} readOnly={fetching} />
      <LimitWarning message={warning} />
    </FormDialog>
  );
}

type Product = ProductPageQuery['product'];
type Stored = Product['values'][number];

/** One attribute of the product, with or without a stored value. */
interface Line {
  slug: string;
  name: string;
  type: ValueType;
  stored?: Stored;
  /** Absent if the attribute was deleted. */
  definition?: Definition;
  /** Whether the product is incomplete without the value. */
  isExpected: boolean;
  isRequired: boolean;
}

interface ValueGroup {
  id: string;
  /** Null for the attributes of no set. */
  name: string | null;
  lines: Line[];
}

/**
 * The attributes of a product by set: those of the set of its category first, then those of other sets of which it has values, then the rest.
 * An attribute is in the first of its sets.
 */
function groupValues(
  product: Product,
  sets: ProductPageQuery['attributeSets'],
  definitions: ReadonlyMap<string, Definition>,
): ValueGroup[] {
  const stored = new Map(product.values.map((value) => [value.slug, value]));
  const expected = new Set(product.completeness.missing.map(({ id }) => id));
  const own = product.categorySummary?.attributeSet?.id;
  const placed = new Set<string>();
  const lineOf = (slug: string, isRequired: boolean): Line => {
    placed.add(slug);
    const [value, definition] = [stored.get(slug), definitions.get(slug)];
    return {
      slug,
      name: definition?.name ?? value?.attributeName ?? slug,
      type: definition?.type ?? value?.attributeType ?? 'text',
      stored: value,
      definition,
      isExpected: definition !== undefined && expected.has(definition.id),
      isRequired,
    };
  };
  const groups = sets
    .filter(
      ({ id, attributeSetAttributes }) => id === own || attributeSetAttributes.some(({ attribute }) => stored.has(attribute.slug)),
    )
    .sort((one, other) => Number(other.id === own) - Number(one.id === own))
    .map(({ id, name, attributeSetAttributes }): ValueGroup => {
      const members = attributeSetAttributes.filter(({ attribute }) => !placed.has(attribute.slug));
      return { id, name, lines: members.map(({ attribute, required }) => lineOf(attribute.slug, required && id === own)) };
    });
  const rest = [...stored.keys(), ...[...definitions.values()].filter(({ isActive }) => isActive).map(({ slug }) => slug)];
  const others = [...new Set(rest)].filter((slug) => !placed.has(slug)).map((slug) => lineOf(slug, false));
  others.sort((one, other) => one.name.localeCompare(other.name));
  return [...groups, { id: 'others', name: null, lines: others }].filter(({ lines }) => lines.length > 0);
}
