import type { UseFormReturnType } from '@mantine/form';
import type { AgentChange } from '../../../../.graph/graphql.ts';
import type { Agent } from '../documents.ts';

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** The values of the form. The keys of `theme` and `branding` that it does not edit stay as they are. */
export const valuesOf = (agent: Agent) => ({
  name: agent.name,
  modelType: agent.modelType as string,
  systemPrompt: agent.systemPrompt,
  welcomeMessage: agent.welcomeMessage,
  placeholder: agent.placeholder,
  suggestedMessages: agent.suggestedMessages,
  temperature: agent.temperature as number | string,
  maxTokensPerMessage: agent.maxTokensPerMessage as number | string,
  maxRetrievalTokens: agent.maxRetrievalTokens as number | string,
  dailyCreditLimit: agent.dailyCreditLimit as number | string,
  retentionDays: (agent.retentionDays ?? '') as number | string,
  publicAccess: agent.publicAccess,
  voiceEnabled: agent.voiceEnabled,
  catalogAccess: agent.catalogAccess,
  catalogAttributes: agent.catalogAttributes,
  primary: text(agent.theme.primary),
  bubble: text(agent.theme.bubble),
  position: agent.theme.position === 'left' ? 'left' : 'right',
  poweredByVisible: agent.branding.poweredByVisible === true,
});

export type Values = ReturnType<typeof valuesOf>;
export type SettingsForm = UseFormReturnType<Values>;

const numberOr = (value: number | string) => (value === '' ? null : Number(value));

/** The fields of an agent that contain several values of the form. */
const CONTAINERS: Partial<Record<string, keyof AgentChange>> = {
  primary: 'theme',
  bubble: 'theme',
  position: 'theme',
  poweredByVisible: 'branding',
};

/** The change that the edited values make to an agent. It leaves out the other fields, which others may have changed. */
export function changeOf(agent: Agent, all: Values, edited: Partial<Values>): AgentChange {
  const { primary, bubble, position, poweredByVisible, ...values } = all;
  const fields = new Set<string>(Object.keys(edited).map((name) => CONTAINERS[name] ?? name));
  const change: AgentChange = {
    ...values,
    modelType: values.modelType as AgentChange['modelType'],
    temperature: numberOr(values.temperature),
    maxTokensPerMessage: numberOr(values.maxTokensPerMessage),
    maxRetrievalTokens: numberOr(values.maxRetrievalTokens),
    dailyCreditLimit: numberOr(values.dailyCreditLimit),
    retentionDays: numberOr(values.retentionDays),
    ...appearanceOf(agent, { primary, bubble, position, poweredByVisible }),
  };
  return Object.fromEntries(Object.entries(change).filter(([name]) => fields.has(name)));
}

/** The theme and branding that the values give to the widget. */
export function appearanceOf(
  { theme, branding }: Pick<Agent, 'theme' | 'branding'>,
  values: Pick<Values, 'primary' | 'bubble' | 'position' | 'poweredByVisible'>,
) {
  const { primary, bubble, position, ...others } = theme;
  return {
    theme: {
      ...others,
      ...(values.primary && { primary: values.primary }),
      ...(values.bubble && { bubble: values.bubble }),
      ...((values.position === 'left' || position !== undefined) && { position: values.position }),
    },
    branding: { ...branding, poweredByVisible: values.poweredByVisible },
  };
}
