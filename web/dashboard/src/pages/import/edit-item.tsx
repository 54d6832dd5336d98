import { Alert, Radio, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FoundDetailsQuery, FoundItemFragment } from '../../../.graph/graphql.ts';
import { useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { editsOf, FormDialog, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { type Content, formatValue } from '../../values/format.ts';
import { ValueField } from '../../values/value-field.tsx';
import { CHANGE_ITEM, FOUND_DETAILS } from './found-items.ts';

const optional = ['brand', 'category', 'manufacturer', 'mpn'] as const;
const lengths = { brand: 128, category: 1024, manufacturer: 256, mpn: 128 };

type Details = FoundDetailsQuery['importItem'];
type Question = Details['questions'][number];
type Answers = ReadonlyMap<string, Content>;

/** Changes the fields of a found product and answers the questions about it, before it is imported. */
export function EditItem({ item, onClose }: { item: FoundItemFragment; onClose(): void }) {
  const { imports, products, actions } = useStrings();
  const [save] = useAction(CHANGE_ITEM, { after: onClose });
  const [{ data: found }] = useQuery({ query: FOUND_DETAILS, variables: { id: item.id } });
  const [answers, setAnswers] = useState<Answers>(new Map());
  const { name, sku, brand, category, manufacturer, mpn } = item.data;
  const form = useClosingForm({
    initialValues: {
      name,
      sku,
      brand: brand ?? '',
      category: category ?? '',
      manufacturer: manufacturer ?? '',
      mpn: mpn ?? '',
    },
    required: ['name', 'sku'],
  });
  function submit(values: typeof form.values) {
    const edits = editsOf(values, form.getInitialValues());
    const texts = Object.fromEntries(Object.entries(edits).map(([key, text]) => [key, text.trim() || null]));
    const given = [...answers].map(([key, answer]) => ({ key, answer: answer ?? null }));
    return save({ id: item.id, input: { ...texts, ...(given.length > 0 && { answers: given }) } });
  }
  return (
    <FormDialog guarded onClose={onClose} title={imports.edit} size="lg" form={form} onSubmit={submit} submit={actions.save}>
      {item.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
      {found?.importItem.questions.map((question) => (
        <Asked
          key={question.key}
          question={question}
          answer={answers.get(question.key)}
          onAnswer={(answer) => setAnswers((before) => new Map(before).set(question.key, answer))}
        />
      ))}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput {...form.field('name', products.name)} maxLength={256} data-autofocus />
        <TextInput {...form.field('sku', products.sku)} maxLength={64} />
        {optional.map((key) => (
          <TextInput key={key} {...form.field(key, products[key])} maxLength={lengths[key]} />
        ))}
      </SimpleGrid>
      {found && <Cells item={found.importItem} />}
    </FormDialog>
  );
}

interface AskedProps {
  question: Question;
  /** Undefined while the question is open. */
  answer: Content;
  onAnswer(answer: Content): void;
}

/** A question with its possible answers. The name has a field of its own. */
function Asked({
  question: { kind, slug, column, cell, readings, statements, attributeName, attributeType },
  answer,
  onAnswer,
}: AskedProps) {
  const strings = useStrings();
  const { imports } = strings;
  const definition = useDefinitions().get(slug ?? '');
  const title = kind === 'value' ? imports.question.value(attributeName ?? '', column, cell) : imports.question[kind];
  const labelOf = (reading: Content) =>
    kind === 'duplicate' ? imports.rowNumber(String(reading)) : formatValue(reading, attributeType ?? 'text', strings, definition);
  const choices: Content[] = kind === 'value' ? [...readings, null] : readings;
  if (kind === 'name') return <Alert color="orange">{title}</Alert>;
  return (
    <Alert color="orange">
      <Radio.Group
        label={title}
        value={answer === undefined ? '' : JSON.stringify(answer)}
        onChange={(next) => onAnswer(JSON.parse(next) as Content)}
      >
        <Stack gap={6} mt={6}>
          {choices.map((choice) => (
            <Radio
              key={JSON.stringify(choice)}
              value={JSON.stringify(choice)}
              label={choice === null ? imports.noValue : labelOf(choice)}
              description={statements?.[readings.indexOf(choice as never)]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {kind === 'value' && readings.length === 0 && (
        <ValueField
          definition={{ name: attributeName ?? '', ...definition, type: attributeType ?? 'text' }}
          value={answer}
          onChange={onAnswer}
        />
      )}
    </Alert>
  );
}

/** The values that the product will have, and the cells that stay with it as its source. */
function Cells({ item: { rows, values, source } }: { item: Details }) {
  const strings = useStrings();
  const { imports, terms } = strings;
  const definitions = useDefinitions();
  const [first] = rows;
  return (
    <>
      {first && <Note size="xs">{imports.rows(first.file, rows.map(({ row }) => row).join(', '))}</Note>}
      {values.length > 0 && (
        <Pairs
          title={terms.values}
          pairs={values.map(({ slug, attributeName, value, attributeType }) => [
            definitions.get(slug)?.name ?? attributeName,
            formatValue(value, attributeType, strings, definitions.get(slug)),
          ])}
        />
      )}
      {source.length > 0 && <Pairs title={imports.source} pairs={source.map(({ column, cell }) => [column, cell])} />}
    </>
  );
}

function Pairs({ title, pairs }: { title: string; pairs: [string, string][] }) {
  return (
    <div>
      <Text fw={500}>{title}</Text>
      <Table>
        <Table.Tbody>
          {pairs.map(([name, text]) => (
            <Table.Tr key={name}>
              <Table.Th fw={400}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
