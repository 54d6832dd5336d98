import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';
import { editsOf } from './edits.ts';

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
