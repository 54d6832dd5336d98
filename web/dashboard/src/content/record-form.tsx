import { Button, Group, Paper, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type CombinedError, useClient, useMutation } from 'urql';
import { codeOf } from '../graph/client.ts';
import { showDone, showProblem } from '../parts/toast.ts';
import { discardUnsaved, useUnsaved } from '../parts/unsaved.ts';
import { useClosingForm } from '../parts/use-closing-form.ts';
import { useSentence } from '../parts/use-sentence.ts';
import { useStrings } from '../strings/strings.tsx';
import { Conflict } from './conflict.tsx';
import { FieldInput } from './field-input.tsx';
import { type Field, isEmpty, isSame, type Kind, type Place, type SiteRecord, type Values } from './kind.ts';

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
  const { actions, signIn, content } = useStrings();
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
          kind.fields.filter(({ name, required }) => required && isEmpty(values[name])).map(({ name }) => [name, signIn.required]),
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
      if (data) showDone(content.saved);
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
    showDone(content.saved);
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
          <Group justify="end">
            <Button type="submit" loading={creating || changing} disabled={base !== undefined && !form.isDirty()}>
              {base ? actions.save : signIn.create}
            </Button>
          </Group>
        </Paper>
      </Stack>
    </form>
  );
}
