import { Alert, Group, Paper, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { type CombinedError, useClient, useMutation } from 'urql';
import { codeOf } from '../graph/graph-client.ts';
import { Action, SmallAction, Submit } from '../parts/elements.tsx';
import { useClosingForm } from '../parts/forms-and-dialogs.tsx';
import { discardUnsaved, useUnsaved } from '../parts/leaving.ts';
import { showDone, showProblem } from '../parts/overlays.tsx';
import { useSentence } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Field, isEmpty, isSame, type Kind, labelOf, type Place, type SiteRecord, type Values } from './content-kind.ts';
import { FieldInput } from './field-input.tsx';

interface Props {
  kind: Kind;
  place: Place;
  /** The record to change; a new one if it is absent. */
  record?: SiteRecord;
  onDone?(id: string): void;
  /** Tells whether the form has unsaved edits. */
  onEdited?(isEdited: boolean): void;
}

const emptyOf = ({ type }: Field): unknown =>
  type === 'boolean' ? false : type === 'records' || type === 'columns' ? [] : type === 'record' ? null : '';

/** Whether the edit was based on a former version. A taken short name is a conflict, too, but names no version. */
const isVersionConflict = (error: CombinedError) =>
  codeOf(error) === 'CONFLICT' && 'version' in ((error.graphQLErrors[0]?.extensions.extra ?? {}) as object);

/** Edits the values of a record. An edit of somebody else in the meantime is shown beside it, never overwritten unseen. */
export function RecordForm({ kind, place, record, onDone, onEdited }: Props) {
  const { actions, terms } = useStrings();
  const client = useClient();
  const sentence = useSentence();
  const [base, setBase] = useState(record);
  const [winner, setWinner] = useState<SiteRecord>();
  const [{ fetching: creating }, create] = useMutation(kind.create);
  const [{ fetching: changing }, change] = useMutation(kind.change);
  const start: Values = base ? kind.valuesOf(base) : Object.fromEntries(kind.fields.map((field) => [field.name, emptyOf(field)]));
  const form = useClosingForm<Values>(
    {
      initialValues: start,
      validate: (values) =>
        Object.fromEntries(
          kind.fields.filter(({ name, required }) => required && isEmpty(values[name])).map(({ name }) => [name, terms.required]),
        ),
    },
    !base,
  );
  const isDirty = form.isDirty();
  useUnsaved(isDirty);
  useEffect(() => onEdited?.(isDirty), [onEdited, isDirty]);
  // A newer version that arrives while nothing is edited replaces the values.
  useEffect(() => {
    if (!record || !base || record.version <= base.version || form.isDirty()) return;
    restart(record);
  });

  function restart(next: SiteRecord, values: Values = kind.valuesOf(next)) {
    setBase(next);
    setWinner(undefined);
    form.setInitialValues(kind.valuesOf(next));
    form.setValues(values);
    form.resetDirty(kind.valuesOf(next));
  }

  async function save(values: Values, from: SiteRecord | undefined) {
    const before = from && kind.valuesOf(from);
    const changed = Object.fromEntries(
      kind.fields
        .filter((field) => (before ? !isSame(values[field.name], before[field.name]) : !isEmpty(values[field.name])))
        .map(({ name, type }) => [name, type === 'url' && values[name] === '' ? null : values[name]]),
    );
    const input = (kind.inputOf?.(changed, from) ?? changed) as never;
    if (!from) {
      const { data } = await create({ ...place, input });
      if (data) discardUnsaved();
      if (data) onDone?.(data.record.id);
      if (data) showDone(terms.saved);
      return;
    }
    const { data, error } = await change({ id: from.id, version: from.version, input });
    const isOutdated = error && isVersionConflict(error);
    if (!data && !isOutdated) return;
    // These values are saved, even if the new version cannot be read.
    if (data) form.resetDirty(values);
    const current = await client.query(kind.read, { ...place, id: from.id }, { requestPolicy: 'network-only' }).toPromise();
    if (!current.data) return showProblem(sentence(current.error!));
    if (isOutdated) return setWinner(current.data.record);
    const stored = kind.valuesOf(current.data.record);
    const typed = Object.entries(form.getValues()).filter(([name, value]) => !isSame(value, values[name]));
    restart(current.data.record, { ...stored, ...Object.fromEntries(typed) });
    showDone(terms.saved);
  }

  return (
    <form onSubmit={form.onSubmit((values) => save(values, base))}>
      <Stack maw={860}>
        {winner && base && (
          <Conflict
            kind={kind}
            base={base}
            winner={winner}
            mine={form.values}
            onTheirs={() => restart(winner)}
            onMine={() => save(form.values, winner)}
            onMerge={(values) => restart(winner, values)}
          />
        )}
        {kind.fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            place={place}
            isNew={!base}
            before={base && kind.valuesOf(base)[field.name]}
            {...form.getInputProps(field.name)}
          />
        ))}
        <Paper py="sm" pos="sticky" bottom="calc(-1 * var(--app-shell-padding))" style={{ zIndex: 1 }} radius={0}>
          <Submit
            label={base ? actions.save : actions.create}
            loading={creating || changing}
            disabled={base !== undefined && !form.isDirty()}
          />
        </Paper>
      </Stack>
    </form>
  );
}

interface ConflictProps {
  kind: Kind;
  /** The version that the edit is based on. */
  base: SiteRecord;
  /** The version that was saved in the meantime. */
  winner: SiteRecord;
  mine: Values;
  onTheirs(): void;
  onMine(): void;
  /** Continue with the values of the winner where only they changed, and mine elsewhere. */
  onMerge(values: Values): void;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Shows the version that won beside the rejected edit, field by field. */
function Conflict({ kind, base, winner, mine, onTheirs, onMine, onMerge }: ConflictProps) {
  const strings = useStrings();
  const { content } = strings;
  const { formats } = useStrings();
  const [before, theirs] = [kind.valuesOf(base), kind.valuesOf(winner)];
  const differing = kind.fields.filter(({ name }) => !isSame(mine[name], theirs[name]));
  const merged = Object.fromEntries(
    kind.fields.map(({ name }) => [name, isSame(mine[name], before[name]) ? theirs[name] : mine[name]]),
  );
  return (
    <Alert
      color="orange"
      role="alert"
      icon={<IconGitMerge aria-hidden />}
      title={content.conflict(winner.version, formats.time(winner.updatedAt))}
    >
      <Text mb="sm">{content.conflictText}</Text>
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': content.differences }} mb="sm">
        <Table aria-label={content.differences} layout="fixed" bg="var(--mantine-color-body)" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="28%">{content.field}</Table.Th>
              <Table.Th>{content.theirs}</Table.Th>
              <Table.Th>{content.mine}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map((field) => (
              <Table.Tr key={field.name}>
                <Table.Th scope="row">{labelOf(field, strings)}</Table.Th>
                {[theirs, mine].map((values, at) => (
                  <Table.Td key={at === 0 ? 'theirs' : 'mine'} style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
                    <Text lineClamp={8} fw={isSame(values[field.name], before[field.name]) ? 400 : 600}>
                      {textOf(values[field.name])}
                    </Text>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group gap="xs">
        <Action label={content.merge} size="xs" onClick={() => onMerge(merged)} />
        <SmallAction label={content.overwrite} onClick={onMine} />
        <SmallAction label={content.takeTheirs} onClick={onTheirs} />
      </Group>
    </Alert>
  );
}
