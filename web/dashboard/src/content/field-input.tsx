import {
  ActionIcon,
  Box,
  Checkbox,
  Group,
  Input,
  MultiSelect,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  type TextareaProps,
  TextInput,
  Typography,
} from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useQuery } from '../graph/graph-hooks.ts';
import { usePicker } from '../parts/dates.ts';
import { SmallAction } from '../parts/elements.tsx';
import { Choice, LongText, NumberField, Segments, ticked, typed } from '../parts/forms-and-dialogs.tsx';
import { useOrganization } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { itemsOf } from './collection-items.ts';
import { type Column, type Field, type Kind, labelOf, type Place } from './content-kind.ts';
import { authors, categories, collections } from './content-kinds.ts';

interface FieldProps {
  field: Field;
  place: Place;
  isNew: boolean;
  before?: unknown;
  value?: unknown;
  error?: ReactNode;
  readOnly?: boolean;
  onChange(value: unknown): void;
  onFocus?(): void;
  onBlur?(): void;
}

/** The input of one field, by its type. */
export function FieldInput({ field, place, isNew, before, value, onChange, ...events }: FieldProps) {
  const strings = useStrings();
  const picker = usePicker();
  const { content, signIn } = strings;
  const { type, required, maxLength, options = [] } = field;
  const label = labelOf(field, strings);
  const common = { label, withAsterisk: required, ...events };
  const text = { ...common, ...typed(String(value ?? ''), onChange), maxLength };
  switch (type) {
    case 'text':
      return <TextInput {...text} />;
    case 'slug':
      return <TextInput {...text} description={signIn.slugHelp} spellCheck={false} />;
    case 'path':
      return <TextInput {...text} description={isNew ? content.pathHelp : content.movedHelp} spellCheck={false} />;
    case 'url':
      return <TextInput {...text} type="url" placeholder="https://example.com/image.jpg" />;
    case 'lines':
      return <LongText {...text} rows={[2, 10]} />;
    case 'html':
      return <HtmlInput {...text} />;
    case 'number':
      return <NumberField {...common} value={typeof value === 'number' ? value : null} onChange={(next) => onChange(next ?? '')} />;
    case 'boolean':
      return <Checkbox {...ticked(Boolean(value), onChange)} {...events} label={label} />;
    case 'date':
      return (
        <DateInput
          {...common}
          {...picker}
          valueFormat="YYYY-MM-DD"
          value={(value as string) || null}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'option':
      return (
        <Select
          {...common}
          clearable
          data={[...options]}
          value={(value as string) || null}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'record':
    case 'records':
      return <RecordChoice {...common} field={field} place={place} value={value as string | string[] | null} onChange={onChange} />;
    case 'columns':
      return (
        <Columns
          {...common}
          field={field}
          place={place}
          before={before as Column[] | undefined}
          value={(value ?? []) as Column[]}
          onChange={onChange}
        />
      );
  }
}

/** Edits HTML as text, with a preview. The server removes everything outside its allow-list. */
function HtmlInput(props: TextareaProps & { value: string }) {
  const { content, actions } = useStrings();
  const [view, setView] = useState('html');
  const { label, value } = props;
  return (
    <Box>
      <Group justify="end" mb={4}>
        <Segments
          size="xs"
          aria-label={`${label}: ${content.view}`}
          value={view}
          onChange={setView}
          labels={{ html: 'HTML', preview: actions.preview }}
        />
      </Group>
      {view === 'html' ? (
        <LongText {...props} rows={[6, 24]} spellCheck styles={{ input: { fontFamily: 'monospace' } }} />
      ) : (
        <Input.Wrapper label={label} labelElement="div">
          <Preview html={value} />
        </Input.Wrapper>
      )}
    </Box>
  );
}

/** Images are left out, because the page requests nothing from other hosts. */
function Preview({ html }: { html: string }) {
  const [clean, setClean] = useState('');
  useEffect(() => {
    let isCurrent = true;
    void import('dompurify').then(({ default: purify }) => {
      const fragment = purify.sanitize(html, {
        FORBID_TAGS: ['img', 'style', 'form', 'input', 'video', 'audio', 'svg'],
        FORBID_ATTR: ['style', 'class', 'id'],
        RETURN_DOM: true,
      }) as HTMLElement;
      // A link that opened in this tab would drop the unsaved edits.
      for (const link of fragment.querySelectorAll('a')) Object.assign(link, { target: '_blank', rel: 'noopener noreferrer' });
      if (isCurrent) setClean(fragment.innerHTML);
    });
    return () => {
      isCurrent = false;
    };
  }, [html]);
  return (
    <Paper withBorder p="md" mih={160}>
      <Typography>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized right above. */}
        <div dangerouslySetInnerHTML={{ __html: clean }} />
      </Typography>
    </Paper>
  );
}

interface ColumnsProps {
  field: Field;
  place: Place;
  label: string;
  error?: ReactNode;
  readOnly?: boolean;
  /** The stored columns. Those of a collection keep their types. */
  before?: Column[];
  value: Column[];
  onChange(columns: Column[]): void;
}

const hasOptions = (type: string) => type === 'option' || type === 'select';
const isReference = (type: string) => type === 'reference' || type === 'multi-reference';

/** Edits the fields of a collection or of a form, in their order. */
function Columns({ field, place, label, error, readOnly, before = [], value, onChange }: ColumnsProps) {
  const { content, terms } = useStrings();
  const change = (at: number, next: Partial<Column>) =>
    onChange(value.map((each, nth) => (nth === at ? { ...each, ...next } : each)));
  const move = (at: number, to: number) => onChange(value.with(at, value[to]!).with(to, value[at]!));
  const add = () => onChange([...value, { name: '', label: '', type: 'text', required: false, options: [] }]);
  return (
    <Input.Wrapper label={label} error={error} labelElement="div" withAsterisk>
      <Stack gap="sm" mt={6}>
        {value.map((column, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no id, and their names change while they are typed.
          <Paper key={at} withBorder p="sm" role="group" aria-label={column.name || content.newColumn}>
            <Group justify="end" gap={4} mb={4}>
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={at === 0}
                aria-label={content.moveUp}
                onClick={() => move(at, at - 1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={at === value.length - 1}
                aria-label={content.moveDown}
                onClick={() => move(at, at + 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={content.removeColumn}
                onClick={() => onChange(value.filter((_, nth) => nth !== at))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
              <TextInput
                {...typed(column.name, (name) => change(at, { name }))}
                label={terms.key}
                description={content.columnNameHelp}
                maxLength={64}
                spellCheck={false}
                readOnly={readOnly}
              />
              <TextInput
                {...typed(column.label ?? '', (label) => change(at, { label }))}
                label={content.columnLabel}
                description={content.columnLabelHelp}
                maxLength={255}
                readOnly={readOnly}
              />
              <Choice
                label={terms.type}
                description={content.columnTypeHelp}
                disabled={field.columnTypes?.includes('reference') && before.some(({ name }) => name === column.name)}
                data={(field.columnTypes ?? []).map((type) => ({ value: type, label: content.columnTypes[type] ?? type }))}
                value={column.type}
                onChange={(type) => change(at, { type, options: [], collectionId: undefined })}
              />
            </SimpleGrid>
            {hasOptions(column.type) && (
              <TagsInput
                mt="sm"
                label={terms.options}
                description={content.optionsHelp}
                value={column.options}
                onChange={(options) => change(at, { options })}
              />
            )}
            {isReference(column.type) && (
              <RecordChoice
                label={content.referenced}
                disabled={before.some(({ name }) => name === column.name)}
                field={{ name: '', label: '', type: 'record', of: 'collections' }}
                place={place}
                value={column.collectionId ?? null}
                onChange={(collectionId) => change(at, { collectionId: collectionId as string | null })}
              />
            )}
            <Checkbox {...ticked(column.required, (required) => change(at, { required }))} mt="sm" label={terms.required} />
          </Paper>
        ))}
        <Group>
          <SmallAction label={content.addColumn} onClick={add} icon={IconPlus} />
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

const kinds: Partial<Record<string, Kind>> = { authors, categories, collections };
const NO_COLLECTION = itemsOf('', []);

interface ChoiceProps {
  field: Field;
  place: Place;
  label: string;
  error?: ReactNode;
  disabled?: boolean;
  readOnly?: boolean;
  value: string | string[] | null;
  onChange(value: unknown): void;
}

/** Chooses one or several of the first 100 records of another kind. */
function RecordChoice({ field, place, value, onChange, ...common }: ChoiceProps) {
  const { isAdmin } = useOrganization();
  const kind = kinds[field.of ?? ''] ?? NO_COLLECTION;
  const variables = {
    siteId: place.siteId,
    collectionId: field.collectionId ?? place.collectionId,
    status: isAdmin ? ('all' as const) : ('published' as const),
    page: 1,
    limit: 100,
  };
  const [{ data }] = useQuery({ query: kind.list, variables });
  const options = (data?.list.nodes ?? []).map((record) => ({ value: record.id, label: kind.title(record) }));
  const chosen = [value ?? []].flat();
  // A record beyond the first 100 keeps its place.
  const unknown = chosen.filter((id) => id && !options.some((each) => each.value === id)).map((id) => ({ value: id, label: id }));
  const all = data ? [...options, ...unknown] : unknown;
  return field.type === 'records' ? (
    <MultiSelect {...common} searchable clearable data={all} value={chosen} onChange={onChange} />
  ) : (
    <Select {...common} searchable clearable data={all} value={(value as string) || null} onChange={onChange} />
  );
}
