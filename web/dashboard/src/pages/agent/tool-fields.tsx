import { Alert, Checkbox, CloseButton, Fieldset, Group, JsonInput, Stack, Switch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ToolApproval, ToolChange, ToolData, ToolEffect } from '../../../.graph/graphql.ts';
import { objectOf, type ParameterRow, pairsOf, rowsOf, schemaOf } from '../../agents/request-import.ts';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { Choice, type FormOf, LongText, ticked, typed } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

interface Props {
  label: string;
  help?: string;
  /** JSON, as the form holds it. */
  value?: string;
  onChange(json: string): void;
  error?: ReactNode;
}

const area = { autosize: true, minRows: 2, maxRows: 12, spellCheck: false } as const;

interface RowsProps<Row> extends Props {
  read(json: Record<string, unknown>): Row[] | undefined;
  write(rows: Row[]): Record<string, unknown>;
  added: Row;
  placeholder?: string;
  children(row: Row, change: (edit: Partial<Row>) => void): ReactNode;
}

/** Rows that are edited instead of JSON. JSON that rows cannot show is edited as it is. */
function Rows<Row extends { name: string }>(props: RowsProps<Row>) {
  const { label, help, value = '', onChange, error, read, write, added, placeholder, children } = props;
  const { agents, actions } = useStrings();
  const readText = () => {
    const json = objectOf(value);
    return json === undefined ? undefined : read(json ?? {});
  };
  const [asJson, setAsJson] = useState(() => readText() === undefined);
  const [rows, setRows] = useState<Row[]>(() => readText() ?? []);
  const store = (next: Row[]) => {
    setRows(next);
    const json = write(next);
    onChange(Object.keys(json).length === 0 ? '' : JSON.stringify(json, null, 2));
  };
  const showRows = () => {
    const found = readText();
    if (found) setRows(found);
    setAsJson(!found);
  };
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Note size="xs">{help}</Note>
          <Switch
            {...ticked(asJson, (isOn) => (isOn ? setAsJson(true) : showRows()))}
            size="xs"
            label="JSON"
            aria-label={agents.asJson(label)}
            disabled={asJson && !readText()}
          />
        </Group>
        {asJson ? (
          <JsonInput aria-label={label} placeholder={placeholder} value={value} onChange={onChange} error={error} {...area} />
        ) : (
          rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name until it is typed.
            <Group key={at} align="end" gap="xs" wrap="wrap">
              {children(row, (edit) => store(rows.with(at, { ...row, ...edit })))}
              <CloseButton aria-label={actions.removeOf(row.name)} onClick={() => store(rows.toSpliced(at, 1))} mb={4} />
            </Group>
          ))
        )}
        {!asJson && (
          <SmallAction
            label={actions.add}
            of={label}
            icon={IconPlus}
            variant="light"
            w="fit-content"
            onClick={() => setRows([...rows, added])}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

/** The parameters that the model fills in, as a row each. */
export function ParameterRows(props: Props) {
  const { agents, terms } = useStrings();
  return (
    <Rows<ParameterRow>
      {...props}
      read={(json) => rowsOf(Object.keys(json).length === 0 ? { type: 'object' } : json)}
      write={schemaOf}
      added={{ name: '', type: 'string', description: '', required: true }}
    >
      {({ name, type, description, required }, change) => (
        <>
          <TextInput {...typed(name, (name) => change({ name }))} label={agents.parameterName} w={150} spellCheck={false} />
          <Choice label={terms.type} w={120} labels={agents.parameterTypes} value={type} onChange={(type) => change({ type })} />
          <TextInput
            {...typed(description, (description) => change({ description }))}
            label={agents.parameterText}
            flex="1 1 180px"
          />
          <Checkbox {...ticked(required, (required) => change({ required }))} label={agents.parameterRequired} mb={8} />
        </>
      )}
    </Rows>
  );
}

/** Headers or parameters of a query, as a row each. */
export function PairRows({ nameLabel, ...props }: Props & { nameLabel: string; placeholder: string }) {
  const { terms } = useStrings();
  return (
    <Rows
      {...props}
      read={pairsOf}
      write={(rows) =>
        Object.fromEntries(rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]))
      }
      added={{ name: '', value: '' }}
    >
      {({ name, value }, change) => (
        <>
          <TextInput {...typed(name, (name) => change({ name }))} label={nameLabel} w={180} spellCheck={false} />
          <TextInput
            {...typed(value, (value) => change({ value }))}
            label={terms.value}
            flex="1 1 200px"
            placeholder={props.placeholder}
            spellCheck={false}
          />
        </>
      )}
    </Rows>
  );
}

/** The properties of a tool that decide about its effect besides the fields of the form. */
interface Kind {
  mcpServerId?: string | null;
  destructive?: boolean;
}

type Protected = Kind & { effect?: ToolEffect | null; approval?: ToolApproval | null };

/** The values of the fields. An empty text is the default. */
export const safetyValuesOf = (
  tool?: Protected & { confirmation?: string | null; data?: ToolData; requiresVerifiedVisitor?: boolean },
) => ({
  effect: (tool?.effect ?? '') as string,
  // New tools ask the visitor before they change something.
  approval: (tool ? (tool.approval ?? '') : 'visitor') as string,
  confirmation: tool?.confirmation ?? '',
  data: (tool?.data ?? 'public') as string,
  requiresVerifiedVisitor: tool?.requiresVerifiedVisitor ?? false,
});
type SafetyValues = ReturnType<typeof safetyValuesOf>;

type Safety = Pick<ToolChange, 'effect' | 'approval' | 'confirmation' | 'data' | 'requiresVerifiedVisitor'>;

/** The input of a mutation. A tool that reads keeps the default of its agent. */
export function safetyInputOf(values: SafetyValues & { method: string }, tool?: Protected): Safety {
  const effect = (values.effect || null) as ToolEffect | null;
  return {
    effect,
    approval: writesWith(values, tool) || values.approval !== 'visitor' ? ((values.approval || null) as ToolApproval | null) : null,
    confirmation: values.confirmation.trim() || null,
    data: values.data as ToolData,
    requiresVerifiedVisitor: values.requiresVerifiedVisitor,
  };
}

/** Whether a tool with these values would change something. The graph knows it for saved values only. */
const writesWith = ({ effect, method }: SafetyValues & { method: string }, tool?: Kind): boolean =>
  tool?.destructive || (effect ? effect === 'write' : Boolean(tool?.mcpServerId) || method !== 'GET');

/** Whether the values let the tool write without an approval, which the owner must confirm. */
export const isOpen = (values: SafetyValues & { method: string }, tool?: Kind): boolean =>
  values.approval === 'none' && writesWith(values, tool);

/** The effect and the data of a tool, and the party that approves its calls. */
export function SafetyFields<T extends SafetyValues & { method: string }>({ form, tool }: { form: FormOf<T>; tool?: Protected }) {
  const { agents } = useStrings();
  const { effects, approvals, dataKinds } = agents.safety;
  return (
    <Fieldset legend={agents.safety.title}>
      <Stack>
        <Choice {...form.field('effect', agents.safety.effect)} labels={effects} />
        <Choice {...form.field('approval', agents.safety.approval)} labels={approvals} />
        {isOpen(form.values, tool) && <Alert color="red">{agents.safety.openText}</Alert>}
        <LongText
          {...form.field('confirmation', agents.safety.confirmation, agents.safety.confirmationHelp)}
          placeholder={agents.safety.confirmationExample}
          rows={[1, 4]}
          maxLength={1_000}
        />
        <Choice {...form.field('data', agents.safety.data, agents.safety.dataHelp)} labels={dataKinds} />
        <Switch {...form.check('requiresVerifiedVisitor', agents.safety.verified, agents.safety.verifiedHelp)} />
      </Stack>
    </Fieldset>
  );
}
