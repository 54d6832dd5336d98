import { Group } from '@mantine/core';
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect } from 'react';
import type { CombinedError } from 'urql';
import { codeOf, messageOf } from '../graph/graph-client.ts';
import { useStrings } from '../strings/strings.tsx';
import { Action } from './elements.tsx';
import { showProblem } from './overlays.tsx';
import { useSentence } from './states.tsx';

/**
 * A form whose page or dialog closes after it is saved. Its fields are read-only while it is being saved, because text that is typed
 * meanwhile would be lost.
 * @param closes false for a form that stays
 */
export const useClosingForm = <Values extends object>(input: UseFormInput<Values>, closes = true) =>
  useForm({ ...input, enhanceGetInputProps: ({ form }) => ({ readOnly: closes && form.submitting }) });

/**
 * Lets the fields of a form follow newer values, except for those that the user has edited.
 * Returns a function that saves the edited fields. Edits typed meanwhile stay unsaved edits.
 * @param values the stored values, as the form shows them
 */
export function useFollowedForm<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>, values: Values) {
  const stored = JSON.stringify(values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is another object after each render.
  useEffect(() => {
    const next = JSON.parse(stored) as Values;
    const edited = editsOf(form.getValues(), form.getInitialValues());
    startFrom(form, next);
    form.setValues({ ...next, ...edited });
  }, [stored]);

  return async (save: (edited: Partial<Values>) => Promise<boolean>): Promise<void> => {
    const edited = editsOf(form.getValues(), form.getInitialValues());
    if (await save(edited)) startFrom(form, { ...form.getInitialValues(), ...edited });
  };
}

function startFrom<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>, values: Values): void {
  form.setInitialValues(values);
  form.resetDirty(values);
}

/** The properties of an input that the user has edited. Sent alone, they leave what others have changed meanwhile. */
export const editsOf = <Input extends object>(input: Input, before: { [Name in keyof Input]: unknown }): Partial<Input> =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Input])),
  ) as Partial<Input>;

export interface FormButtonsProps {
  /** The label of the button that submits the form. */
  submit: string;
  loading: boolean;
  disabled?: boolean;
  onCancel(): void;
  /** A button that deletes the edited record. */
  deletion?: { label: string; onClick(): void };
}

/** The last line of a form: delete, cancel and submit. */
export function FormButtons({ submit, loading, disabled, onCancel, deletion }: FormButtonsProps) {
  const { actions } = useStrings();
  return (
    <Group justify="flex-end">
      {deletion && <Action label={deletion.label} variant="subtle" color="red" onClick={deletion.onClick} mr="auto" />}
      <Action label={actions.cancel} variant="default" onClick={onCancel} />
      <Action label={submit} type="submit" loading={loading} disabled={disabled} />
    </Group>
  );
}

/** An argument of a mutation at the start of a message of the server, such as `input.targetUrl must be …`. */
const ARGUMENT = /^(?:input\.)?(\w+)(?= )/;

/**
 * Shows the refusal of an argument at the field of the form that sets it, with the label of the field instead of the name of the argument.
 * Other errors show as notices. The mutation has `{ quiet: true }` in its context.
 */
export function useArgumentRefusal() {
  const sentence = useSentence();
  return <Values extends object>(
    form: UseFormReturnType<Values>,
    labels: Readonly<Record<string, readonly [field: keyof Values & string, label: string]>>,
    error: CombinedError,
  ): void => {
    const message = messageOf(error);
    const [, argument = ''] = ARGUMENT.exec(message) ?? [];
    const found = codeOf(error) === 'INVALID_INPUT' && Object.hasOwn(labels, argument) ? labels[argument] : undefined;
    if (!found) return void showProblem(sentence(error));
    const [field, label] = found;
    form.setFieldError(field, message.replace(ARGUMENT, label));
    form.getInputNode(field)?.focus();
  };
}

/**
 * Shows the refusal of a mutation that another record caused, such as one with the same slug, at the field of the form. Other errors show
 * as notices. The mutation has `{ quiet: true }` in its context.
 */
export function useFieldRefusal() {
  const sentence = useSentence();
  return <Values extends object>(form: UseFormReturnType<Values>, field: keyof Values & string, error: CombinedError): void => {
    if (codeOf(error) === 'CONFLICT') {
      form.setFieldError(field, messageOf(error));
      form.getInputNode(field)?.focus();
    } else showProblem(sentence(error));
  };
}
