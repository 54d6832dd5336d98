import { Alert, Group, Paper, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { AgentChange } from '../../../.graph/graphql.ts';
import { Note } from '../../parts/elements.tsx';
import { type FormOf, LongText, typed } from '../../parts/forms-and-dialogs.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useLanguage } from '../../strings/strings.tsx';
import classes from './agent.module.css';
import type { Agent } from './agent-documents.ts';

/** Milliseconds without a change before the widget is drawn again. */
const PAUSE = 500;

/** A page with the API of the widget. */
type Frame = Window & typeof globalThis & { chatWidget?: { open(): void; setContext(context: unknown): void } };

/** The real widget in a page of its own, with the settings of the form instead of the saved ones. */
export function Preview({ agent, values }: { agent: Agent; values: Values }) {
  const { strings, language } = useLanguage();
  const { organization } = useOrganization();
  const [isMissing, setMissing] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const { name, welcomeMessage, placeholder, suggestedMessages } = values;
  const config = JSON.stringify({
    ...{ name, welcomeMessage, placeholder, suggestedMessages },
    ...appearanceOf(agent, values),
    features: { voice: values.voiceEnabled, handoff: organization.modules.includes('helpdesk') },
    originAllowed: true,
    origin: location.origin,
  });
  const [drawn] = useDebouncedValue(config, PAUSE);
  const [written, setWritten] = useState('');
  const context = contextIn(written);
  const described = JSON.stringify(context ?? null);

  const latest = useRef(described);
  latest.current = described;
  useEffect(() => {
    const context = () => JSON.parse(latest.current) as unknown;
    if (frame.current)
      draw(frame.current, { agent: agent.publicSlug, config: drawn, language, context, onMissing: () => setMissing(true) });
  }, [agent.publicSlug, drawn, language]);
  useEffect(() => {
    (frame.current?.contentWindow as Frame | null)?.chatWidget?.setContext(JSON.parse(described));
  }, [described]);

  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="md" fw={600}>
          {strings.actions.preview}
        </Text>
      </Group>
      {isMissing ? (
        <Alert color="gray">{strings.agents.previewMissing}</Alert>
      ) : (
        <iframe key={`${drawn} ${language}`} ref={frame} title={strings.actions.preview} className={classes.frame} />
      )}
      <Note size="xs">{strings.agents.previewHelp}</Note>
      {agent.officeHours && organization.modules.includes('helpdesk') && (
        <Paper withBorder p="sm" component="section" aria-label={strings.officeHours.preview}>
          <Note size="xs">{strings.officeHours.preview}</Note>
          <Text mt={4} style={{ overflowWrap: 'anywhere' }}>
            {agent.officeHours.awayMessage || strings.officeHours.general} {strings.officeHours.opens}
          </Text>
        </Paper>
      )}
      <LongText
        {...typed(written, setWritten)}
        label={strings.agents.previewPage}
        description={strings.agents.previewPageHelp}
        rows={[2, 8]}
        maxLength={4_000}
        error={context === undefined && strings.agents.previewPageInvalid}
      />
    </Stack>
  );
}

/** The context that the reader has written; null for none, and undefined for other text. */
function contextIn(text: string): object | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Drawing {
  agent: string;
  config: string;
  language: string;
  /** The context of the page, once the widget is there. */
  context(): unknown;
  onMissing(): void;
}

/** Load the widget into an empty frame, with this configuration, and open its panel. */
function draw(frame: HTMLIFrameElement, { agent, config, language, context, onMissing }: Drawing): void {
  const page = frame.contentWindow as Frame;
  const request = page.fetch.bind(page);
  page.fetch = (input, init) =>
    String(input).endsWith(`/${agent}/config`)
      ? Promise.resolve(new Response(config, { headers: { 'content-type': 'application/json' } }))
      : request(input, init);
  keepFocus(page);
  releaseFocus(page);
  const script = page.document.createElement('script');
  Object.assign(script.dataset, { agent, lang: language });
  script.src = new URL('/widget.js', location.href).href;
  script.onerror = onMissing;
  script.onload = () => {
    page.chatWidget?.setContext(context());
    page.chatWidget?.open();
  };
  page.document.documentElement.lang = language;
  page.document.title = agent;
  page.document.head.append(script);
}

/** The panel keeps the Tab key within itself. The preview is no dialog of this page, so Tab must also leave it. */
function releaseFocus(page: Frame): void {
  page.addEventListener('keydown', (event) => event.key === 'Tab' && event.stopImmediatePropagation(), { capture: true });
}

/** The panel must not take the focus from the form until the reader uses it. */
function keepFocus(page: Frame): void {
  const { prototype } = page.HTMLElement;
  const { focus } = prototype;
  prototype.focus = () => {};
  const restore = () => {
    prototype.focus = focus;
  };
  for (const event of ['pointerdown', 'keydown']) page.addEventListener(event, restore, { once: true, capture: true });
}

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
  requireApprovals: agent.requireApprovals,
  retentionDays: (agent.retentionDays ?? '') as number | string,
  publicAccess: agent.publicAccess,
  voiceEnabled: agent.voiceEnabled,
  catalogAccess: agent.catalogAccess,
  catalogAttributes: agent.catalogAttributes,
  productPage: agent.productPage ?? '',
  productPictures: agent.productPictures,
  primary: text(agent.theme.primary),
  bubble: text(agent.theme.bubble),
  position: agent.theme.position === 'left' ? 'left' : 'right',
  poweredByVisible: agent.branding.poweredByVisible === true,
});

type Values = ReturnType<typeof valuesOf>;
export type SettingsForm = FormOf<Values>;

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
    productPage: values.productPage.trim() || null,
    ...appearanceOf(agent, { primary, bubble, position, poweredByVisible }),
  };
  return Object.fromEntries(Object.entries(change).filter(([name]) => fields.has(name)));
}

/** The theme and branding that the values give to the widget. */
function appearanceOf(
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
