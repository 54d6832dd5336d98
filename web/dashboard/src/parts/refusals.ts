import type { UseFormReturnType } from '@mantine/form';
import type { CombinedError } from 'urql';
import { codeOf, messageOf } from '../graph/graph-client.ts';
import { showProblem } from './overlays.tsx';
import { useSentence } from './page-frame.tsx';

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
