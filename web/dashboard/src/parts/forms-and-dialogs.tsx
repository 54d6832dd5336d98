import {
  CloseButton,
  type DrawerProps,
  Group,
  Drawer as LibraryDrawer,
  Modal as LibraryModal,
  type ModalProps,
  NumberInput,
  type NumberInputProps,
  SegmentedControl,
  type SegmentedControlProps,
  Select,
  type SelectProps,
  Stack,
  Textarea,
  type TextareaProps,
  TextInput,
} from '@mantine/core';
import { type GetInputPropsReturnType, type UseFormInput, type UseFormReturnType, useForm as useLibraryForm } from '@mantine/form';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';
import { Action } from './elements.tsx';
import { useUnsaved } from './leaving.ts';
import { isAsking, useConfirm, useFocusReturn } from './overlays.tsx';

interface DialogProps {
  onClose(): void;
  /** Whether Escape, the cross, a click outside and a navigation ask first once the user has typed into the dialog. */
  guarded?: boolean;
}

/** A dialog that is mounted while it is open. Its opener gets the focus back. */
export function Modal({ guarded, onClose, ...props }: Omit<ModalProps, 'opened'> & DialogProps) {
  return <LibraryModal {...props} {...useDialog({ guarded, onClose })} opened />;
}

/** A dialog at the side that is mounted while it is open. Its opener gets the focus back. */
export function Drawer({ guarded, onClose, ...props }: Omit<DrawerProps, 'opened'> & DialogProps) {
  return <LibraryDrawer position="right" {...props} {...useDialog({ guarded, onClose })} opened />;
}

interface FormDialogProps<Values> extends DialogProps, Omit<FormButtonsProps, 'onCancel' | 'loading'> {
  title: string;
  size?: ModalProps['size'];
  /** The dialog is at the side of the page. */
  side?: boolean;
  autoComplete?: string;
  /** Checks the values before they are submitted. */
  form?: UseFormReturnType<Values>;
  onSubmit(values: Values): unknown;
  children: ReactNode;
}

/** A dialog with the fields of a form, and below them its buttons. */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { side, form, onSubmit, autoComplete, children, submit, disabled, deletion, ...dialog } = props;
  const [isBusy, setBusy] = useState(false);
  async function save(values: Values) {
    setBusy(true);
    try {
      await onSubmit(values);
    } finally {
      setBusy(false);
    }
  }
  const Dialog = side ? Drawer : Modal;
  return (
    <Dialog {...dialog}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // The dialog may be inside another form.
          event.stopPropagation();
          if (form) form.onSubmit(save)(event);
          else void save({} as Values);
        }}
        autoComplete={autoComplete}
      >
        <Stack>
          {children}
          <FormButtons submit={submit} loading={isBusy} disabled={disabled} deletion={deletion} onCancel={dialog.onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

function useDialog({ guarded = false, onClose }: DialogProps) {
  const { layout, actions } = useStrings();
  const confirm = useConfirm();
  const [hasText, setHasText] = useState(false);
  useUnsaved(guarded && hasText);
  const isGuarded = useRef(guarded);
  isGuarded.current = guarded;
  const asks = useRef(false);
  useFocusReturn();
  return {
    onInput: () => setHasText(true),
    async onClose() {
      // Escape in a question also reaches the dialog below it.
      if (asks.current || isAsking()) return;
      if (!guarded || !hasText) return onClose();
      asks.current = true;
      const question = { title: layout.discardTitle, text: layout.discardText, action: actions.discard, danger: true };
      const isDiscarded = await confirm(question).finally(() => {
        asks.current = false;
      });
      // A save that ended meanwhile may show a secret, which must not close unread.
      if (isDiscarded && isGuarded.current) onClose();
    },
  };
}

type Path<Values> = Parameters<UseFormReturnType<Values>['getInputProps']>[0];

interface Fields<Values> {
  /** The properties of an input: the value and the error of a field, and the words beside it. */
  field<Label extends ReactNode>(
    path: Path<Values>,
    label: Label,
    description?: ReactNode,
  ): GetInputPropsReturnType & { label: Label; description?: ReactNode };
  /** The same for a switch or a checkbox. */
  check: Fields<Values>['field'];
}

export type FormOf<Values> = UseFormReturnType<Values> & Fields<Values>;

interface FormInput<Values> extends UseFormInput<Values> {
  /** Fields whose text must not be blank. */
  required?: readonly (keyof Values & string)[];
}

/** A form that stays on its page after it is saved. */
export function useForm<Values extends object>({ required = [], ...input }: FormInput<Values>): FormOf<Values> {
  const { terms } = useStrings();
  const isWritten = (text: unknown) => (String(text).trim() ? null : terms.required);
  const rules = Object.fromEntries(required.map((name) => [name, isWritten]));
  const form = useLibraryForm(required.length > 0 ? { ...input, validate: { ...rules, ...input.validate } } : input);
  return {
    ...form,
    field: (path, label, description) => ({ label, description, ...form.getInputProps(path) }),
    check: (path, label, description) => ({ label, description, ...form.getInputProps(path, { type: 'checkbox' }) }),
  };
}

/**
 * A form whose page or dialog closes after it is saved. Its fields are read-only while it is being saved, because text that is typed
 * meanwhile would be lost.
 * @param closes false for a form that stays
 */
export const useClosingForm = <Values extends object>(input: FormInput<Values>, closes = true) =>
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

interface FormButtonsProps {
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

/** The properties of an input of text that belongs to no form. */
export const typed = (value: string, onType: (text: string) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onType(currentTarget.value),
});

/** The properties of a switch or a checkbox that belongs to no form. */
export const ticked = (checked: boolean, onTick: (isOn: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => onTick(currentTarget.checked),
});

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value?: number | null;
  onChange(value: number | null): void;
}

/** The number that a text means so far; null for none. */
export const numberOf = (text: number | string): number | null => (text === '' || Number.isNaN(Number(text)) ? null : Number(text));

/** The input of a number. Its text stays as it is typed, because "0." or "1.50" would lose characters as a number. */
export function NumberField({ value = null, onChange, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      {...props}
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        onChange(numberOf(next));
      }}
    />
  );
}

/** The input of a longer text. It grows with the text, from the first to the second number of rows. */
export const LongText = ({ rows: [minRows, maxRows], ...props }: Omit<TextareaProps, 'rows'> & { rows: [number, number] }) => (
  <Textarea autosize minRows={minRows} maxRows={maxRows} {...props} />
);

type Labels = Readonly<Record<string, string>> | ReadonlyMap<string, string>;
const optionsOf = (labels: Labels) =>
  [...(labels instanceof Map ? labels : Object.entries(labels))].map(([value, label]) => ({ value, label }));

interface ChoiceProps<Value extends string> extends Omit<SelectProps, 'onChange'> {
  /** The label of each value, instead of `data`. */
  labels?: Readonly<Record<Value, string>>;
  onChange?(value: NoInfer<Value>): void;
}

/** The input of one of some values. */
export const Choice = <Value extends string>({ labels, data, onChange, ...props }: ChoiceProps<Value>) => (
  <Select
    allowDeselect={false}
    data={data ?? optionsOf(labels ?? {})}
    onChange={(value) => value !== null && onChange?.(value as Value)}
    {...props}
  />
);

interface SegmentsProps<Value extends string> extends Omit<SegmentedControlProps, 'data' | 'onChange'> {
  labels: Readonly<Record<Value, string>>;
  onChange?(value: NoInfer<Value>): void;
}

/** The input of one of a few values, all of which are in view. */
export const Segments = <Value extends string>({ labels, onChange, ...props }: SegmentsProps<Value>) => (
  <SegmentedControl data={optionsOf(labels)} onChange={(value) => onChange?.(value as Value)} {...props} />
);

interface OptionalChoiceProps extends Omit<SelectProps, 'value' | 'onChange'> {
  /** Names the choice of no value, in the empty field and at the button that clears it. */
  none: string;
  /** The label of each value, instead of `data`. */
  labels?: Labels;
  /** Empty for none. */
  value: string;
  onChange(value: string): void;
}

/** The input of one of some values, or of none. */
export const OptionalChoice = ({ none, labels, data, value, onChange, ...props }: OptionalChoiceProps) => (
  <Select
    data={data ?? optionsOf(labels ?? {})}
    placeholder={none}
    clearable
    clearButtonProps={{ 'aria-label': none }}
    value={value || null}
    onChange={(next) => onChange(next ?? '')}
    {...props}
  />
);

/** Lets the server search the options of a select. Returns the typed text, after a pause in typing, and the properties of the select. */
export function useOptionSearch() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const filter: SelectProps['filter'] = ({ options }) => options;
  return [search, { searchable: true, searchValue: typed, onSearchChange: setTyped, filter }] as const;
}

/** The graph rejects longer searches. */
const MAX_LENGTH = 256;

/** A search field. It reports a text after a pause in typing, and follows a value that changes otherwise, such as by the navigation. */
export function Search({ label, value, onSearch }: { label: string; value: string; onSearch(text: string): void }) {
  const { actions } = useStrings();
  const [text, setText] = useState(value);
  /** The last value, and the texts reported since. A value that follows one of them late must not replace what was typed meanwhile. */
  const reported = useRef([value]);
  const report = useDebouncedCallback((next: string) => {
    reported.current = next === value ? [next] : [...reported.current, next];
    onSearch(next);
  }, 250);
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at === -1 ? [value] : reported.current.slice(at);
    if (at !== -1) return;
    report.cancel();
    setText(value);
  }, [value, report]);
  const change = (next: string) => {
    setText(next);
    report(next);
  };
  return (
    <TextInput
      {...typed(text, change)}
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={MAX_LENGTH}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label={actions.clear} onClick={() => change('')} />}
      flex="1 1 14rem"
      maw={360}
    />
  );
}
