import { CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { NewTestCheck, TestCheckKind } from '../../../.graph/graphql.ts';
import type { TestCaseRow } from '../../agents/agent-tests.tsx';
import { SmallAction } from '../../parts/elements.tsx';
import { Choice, type FormOf, LongText, numberOf, Segments } from '../../parts/forms-and-dialogs.tsx';
import type { Strings } from '../../strings/en/index.ts';
import { useStrings } from '../../strings/strings.tsx';

/** A check while it is edited. Numbers are texts, as they are typed. */
export interface CheckValues {
  /** Stable while the check changes its place. */
  key: string;
  kind: TestCheckKind;
  /** A fact is words or a number. */
  fact: 'text' | 'number';
  text: string;
  number: string;
  unit: string;
  tool: string;
  arguments: { name: string; value: string }[];
}

/** A test case while it is edited. */
export interface CaseValues {
  name: string;
  messages: string[];
  /** Empty without a customer that a model plays. */
  goal: string;
  manner: string;
  maxMessages: number | string;
  /** Empty for a visitor who is not signed in. */
  subject: string;
  visitorName: string;
  visitorEmail: string;
  checks: CheckValues[];
  recordings: TestCaseRow['recordings'];
  expectation: string;
}
export type CaseForm = FormOf<CaseValues>;

type Field = 'fact' | 'source' | 'language' | 'tool' | 'anyTool' | 'limit' | 'arguments';

/** The fields of each kind. */
const fields: Record<TestCheckKind, readonly Field[]> = {
  states: ['fact'],
  omits: ['fact'],
  cites: ['source'],
  calls: ['tool', 'arguments'],
  not_calls: ['anyTool'],
  asks_approval: ['anyTool'],
  hands_over: [],
  answers: [],
  declines: [],
  language: ['language'],
  seconds: ['limit'],
  credits: ['limit'],
};
const has = ({ kind }: Pick<CheckValues, 'kind'>, ...wanted: Field[]): boolean =>
  wanted.some((each) => fields[kind].includes(each));

const hasText = (check: CheckValues) => has(check, 'source', 'language') || (has(check, 'fact') && check.fact === 'text');
const hasNumber = (check: CheckValues) => has(check, 'limit') || (has(check, 'fact') && check.fact === 'number');

let last = 0;
export const newCheck = (): CheckValues => ({
  ...{ key: `check-${++last}`, kind: 'states', fact: 'text', text: '', number: '', unit: '', tool: '', arguments: [] },
});

export const valuesOfCheck = ({
  kind,
  text,
  number,
  unit,
  tool,
  arguments: given,
}: TestCaseRow['checks'][number]): CheckValues => ({
  ...newCheck(),
  kind,
  fact: number == null ? 'text' : 'number',
  text: text ?? '',
  number: number == null ? '' : String(number),
  unit: unit ?? '',
  tool: tool ?? '',
  arguments: Object.entries((given ?? {}) as object).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  })),
});

/** A check as the server takes it. It has only the fields of its kind. */
export function checkOf(check: CheckValues): NewTestCheck {
  const { kind, text, number, unit, tool, arguments: given } = check;
  const named = given.filter(({ name }) => name.trim() !== '');
  return {
    kind,
    ...(hasText(check) && { text: text.trim() }),
    ...(hasNumber(check) && { number: numberOf(number.replace(',', '.')) }),
    ...(has(check, 'fact') && check.fact === 'number' && { unit: unit.trim() || null }),
    ...(has(check, 'tool', 'anyTool') && { tool: tool.trim() || null }),
    ...(has(check, 'arguments') &&
      named.length > 0 && { arguments: Object.fromEntries(named.map(({ name, value }) => [name.trim(), argumentOf(value)])) }),
  };
}

/** Numbers, truth values and lists are written as in JSON; everything else is a text. */
function argumentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The rules of the fields of a form with `checks`. */
export const checkRules = ({ tests: { wrongNumber }, terms: { required } }: Pick<Strings, 'tests' | 'terms'>) => ({
  text: (text: string, values: CaseValues, path: string) => (hasText(at(values, path)) && text.trim() === '' ? required : null),
  tool: (tool: string, values: CaseValues, path: string) => (has(at(values, path), 'tool') && tool.trim() === '' ? required : null),
  number: (number: string, values: CaseValues, path: string) =>
    hasNumber(at(values, path)) && numberOf(number.replace(',', '.')) === null ? wrongNumber : null,
});
const at = ({ checks }: CaseValues, path: string): CheckValues => checks[Number(path.split('.')[1])]!;

/** One check: its kind, and the fields of this kind. */
export function CheckRow({ form, at, onRemove }: { form: CaseForm; at: number; onRemove(): void }) {
  const { tests, actions, terms, layout } = useStrings();
  const check = form.values.checks[at];
  if (!check) return null;
  const name = tests.check(at + 1);
  const path = `checks.${at}` as const;
  const isFact = has(check, 'fact');
  return (
    <Stack gap="xs" role="group" aria-label={name}>
      <Group align="end" gap="xs" wrap="nowrap">
        <Choice {...form.field(`${path}.kind`, tests.kind)} flex={1} searchable labels={tests.kinds} />
        {isFact && <Segments aria-label={tests.fact} labels={tests.factKinds} {...form.getInputProps(`${path}.fact`)} />}
        <CloseButton aria-label={`${actions.remove}: ${name}`} onClick={onRemove} />
      </Group>
      {isFact && check.fact === 'text' && (
        <LongText {...form.field(`${path}.text`, tests.words, tests.wordsHelp)} rows={[1, 6]} maxLength={2_000} />
      )}
      {isFact && check.fact === 'number' && (
        <Group grow align="start" gap="xs">
          <TextInput {...form.field(`${path}.number`, tests.number, tests.numberHelp)} inputMode="decimal" />
          <TextInput {...form.field(`${path}.unit`, terms.unit, tests.unitHelp)} maxLength={32} />
        </Group>
      )}
      {has(check, 'limit') && <TextInput {...form.field(`${path}.number`, tests.number)} inputMode="decimal" />}
      {has(check, 'source') && <TextInput {...form.field(`${path}.text`, terms.source, tests.sourceHelp)} maxLength={2_000} />}
      {has(check, 'language') && <TextInput {...form.field(`${path}.text`, layout.language, tests.languageHelp)} maxLength={8} />}
      {has(check, 'tool', 'anyTool') && (
        <TextInput
          {...form.field(`${path}.tool`, terms.tool, has(check, 'anyTool') ? tests.anyTool : undefined)}
          maxLength={64}
          spellCheck={false}
        />
      )}
      {has(check, 'arguments') && <Arguments form={form} path={`${path}.arguments`} given={check.arguments} />}
    </Stack>
  );
}

interface ArgumentsProps {
  form: CaseForm;
  path: `checks.${number}.arguments`;
  given: CheckValues['arguments'];
}

/** The arguments that a call must have, a row for each. */
function Arguments({ form, path, given }: ArgumentsProps) {
  const { tests, terms, actions } = useStrings();
  return (
    <Stack gap={4} role="group" aria-label={tests.arguments}>
      <Text size="xs" c="dimmed">
        {tests.arguments}. {tests.argumentsHelp}
      </Text>
      {given.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values are in the form, which numbers them.
        <Group key={at} gap="xs" align="end" wrap="nowrap">
          <TextInput {...form.field(`${path}.${at}.name`, terms.name)} flex={1} spellCheck={false} />
          <TextInput {...form.field(`${path}.${at}.value`, terms.value)} flex={1} />
          <CloseButton
            aria-label={`${actions.remove}: ${tests.arguments} ${at + 1}`}
            onClick={() => form.removeListItem(path, at)}
          />
        </Group>
      ))}
      <SmallAction
        label={tests.addArgument}
        icon={IconPlus}
        variant="subtle"
        w="fit-content"
        disabled={given.length >= 20}
        onClick={() => form.insertListItem(path, { name: '', value: '' })}
      />
    </Stack>
  );
}
