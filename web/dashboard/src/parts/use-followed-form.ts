import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

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
    const edited = editedOf(form);
    startFrom(form, next);
    form.setValues({ ...next, ...edited });
  }, [stored]);

  return async (save: (edited: Partial<Values>) => Promise<boolean>): Promise<void> => {
    const edited = editedOf(form);
    if (await save(edited)) startFrom(form, { ...form.getInitialValues(), ...edited });
  };
}

function editedOf<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>): Partial<Values> {
  const initial = form.getInitialValues();
  const edited = Object.entries(form.getValues()).filter(([name, value]) => !isSame(value, initial[name]));
  return Object.fromEntries(edited) as Partial<Values>;
}

function startFrom<Values extends Record<string, unknown>>(form: UseFormReturnType<Values>, values: Values): void {
  form.setInitialValues(values);
  form.resetDirty(values);
}
