import { type UseFormInput, useForm } from '@mantine/form';

/**
 * A form whose page or dialog closes after it is saved. Its fields are read-only while it is being saved, because text that is typed
 * meanwhile would be lost.
 * @param closes false for a form that stays
 */
export const useClosingForm = <Values extends object>(input: UseFormInput<Values>, closes = true) =>
  useForm({ ...input, enhanceGetInputProps: ({ form }) => ({ readOnly: closes && form.submitting }) });
