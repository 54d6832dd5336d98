import { Alert, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useOrganization } from '../../../session/organization.tsx';
import { useLanguage } from '../../../strings/strings.tsx';
import type { Agent } from '../documents.ts';
import classes from './settings.module.css';
import { appearanceOf, type Values } from './values.ts';

/** Milliseconds without a change before the widget is drawn again. */
const PAUSE = 500;

/** A page with the API of the widget. */
type Frame = Window & typeof globalThis & { chatWidget?: { open(): void } };

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

  useEffect(() => {
    if (frame.current) draw(frame.current, { agent: agent.publicSlug, config: drawn, language, onMissing: () => setMissing(true) });
  }, [agent.publicSlug, drawn, language]);

  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{strings.agents.preview}</Text>
      </Group>
      {isMissing ? (
        <Alert color="gray">{strings.agents.previewMissing}</Alert>
      ) : (
        <iframe key={`${drawn} ${language}`} ref={frame} title={strings.agents.preview} className={classes.frame} />
      )}
      <Text size="xs" c="dimmed">
        {strings.agents.previewHelp}
      </Text>
    </Stack>
  );
}

interface Drawing {
  agent: string;
  config: string;
  language: string;
  onMissing(): void;
}

/** Load the widget into an empty frame, with this configuration, and open its panel. */
function draw(frame: HTMLIFrameElement, { agent, config, language, onMissing }: Drawing): void {
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
  script.onload = () => page.chatWidget?.open();
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
