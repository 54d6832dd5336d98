import { Alert, Fieldset, Stack, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ToolApproval, ToolChange, ToolData, ToolEffect } from '../../../.graph/graphql.ts';
import { Choice, LongText } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

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
export function SafetyFields<T extends SafetyValues & { method: string }>({
  form,
  tool,
}: {
  form: UseFormReturnType<T>;
  tool?: Protected;
}) {
  const { agents } = useStrings();
  const { effects, approvals, dataKinds } = agents.safety;
  return (
    <Fieldset legend={agents.safety.title}>
      <Stack>
        <Choice label={agents.safety.effect} labels={effects} {...form.getInputProps('effect')} />
        <Choice label={agents.safety.approval} labels={approvals} {...form.getInputProps('approval')} />
        {isOpen(form.values, tool) && <Alert color="red">{agents.safety.openText}</Alert>}
        <LongText
          label={agents.safety.confirmation}
          description={agents.safety.confirmationHelp}
          placeholder={agents.safety.confirmationExample}
          rows={[1, 4]}
          maxLength={1_000}
          {...form.getInputProps('confirmation')}
        />
        <Choice
          label={agents.safety.data}
          description={agents.safety.dataHelp}
          labels={dataKinds}
          {...form.getInputProps('data')}
        />
        <Switch
          label={agents.safety.verified}
          description={agents.safety.verifiedHelp}
          {...form.getInputProps('requiresVerifiedVisitor', { type: 'checkbox' })}
        />
      </Stack>
    </Fieldset>
  );
}
