import { ActionIcon, Alert, Code, CopyButton, Group, SimpleGrid, Stack, TagsInput, Text, TextInput, Tooltip } from '@mantine/core';
import { IconCheck, IconCircleCheck, IconCircleX, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction, useButton } from '../../graph/graph-hooks.ts';
import { Action, PageLink } from '../../parts/elements.tsx';
import { typed } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type TabProps, UPDATE_AGENT } from './agent-documents.ts';
import { Identity } from './identity.tsx';

/** How to embed the widget, and which pages may. */
export function Tab({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const snippet = `<script src="${location.origin}/widget.js" data-agent="${agent.publicSlug}" async></script>`;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Stack>
        {!agent.publicAccess && (
          <Alert color="yellow" title={agents.private}>
            {agents.notPublic} <PageLink to={`agents/${agent.id}/settings`} label={agents.tabs.settings} underline="always" />
          </Alert>
        )}
        <Section title={agents.snippet}>
          <Text mb="sm">{agents.snippetText}</Text>
          <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {snippet}
          </Code>
          <CopyButton value={snippet}>
            {({ copied, copy }) => (
              <Action
                label={copied ? actions.copied : actions.copy}
                mt="sm"
                variant="light"
                onClick={copy}
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              />
            )}
          </CopyButton>
        </Section>
        <Identity agent={agent} />
        <Section title={agents.identifiers}>
          <Identifier label={agents.publicSlug} value={agent.publicSlug} />
          <Identifier label="ID" value={agent.id} />
        </Section>
      </Stack>
      <Stack>
        <Origins agent={agent} />
        <OriginCheck agent={agent} />
      </Stack>
    </SimpleGrid>
  );
}

function Identifier({ label, value }: { label: string; value: string }) {
  const { actions } = useStrings();
  return (
    <Group gap="xs" wrap="nowrap">
      <Text>{label}</Text>
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? actions.copied : actions.copy}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`${actions.copy}: ${label}`}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}

/** The origins that may embed the widget. Addresses of pages become their origins. */
function Origins({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const [update, fetching] = useAction(UPDATE_AGENT, { done: agents.saved });
  const stored = agent.allowedOrigins;
  const [origins, setOrigins] = useState(stored);
  const [base, setBase] = useState(stored);
  const [problem, setProblem] = useState<string>();
  const isChanged = origins.join(' ') !== stored.join(' ');
  useUnsaved(isChanged);
  if (base.join(' ') !== stored.join(' ')) {
    setBase(stored);
    setOrigins(merged(origins, base, stored));
  }

  function change(values: string[]) {
    const wrong = values.find((each) => originOf(each) === null);
    setProblem(wrong === undefined ? undefined : agents.notAnOrigin(wrong));
    setOrigins([...new Set(values.flatMap((each) => originOf(each) ?? []))]);
  }
  const save = () => update({ id: agent.id, input: { allowedOrigins: origins } });
  return (
    <Section title={agents.allowedOrigins}>
      <TagsInput
        label={agents.origins}
        description={agents.originsHelp}
        placeholder="https://shop.example.com"
        value={origins}
        onChange={change}
        error={problem}
        maxTags={100}
        splitChars={[',', ' ']}
        acceptValueOnBlur
      />
      <Group justify="flex-end" mt="sm">
        <Action label={actions.save} disabled={!isChanged} loading={fetching} onClick={save} />
      </Group>
    </Section>
  );
}

/** The stored origins with what the user has added to and removed from the former ones. */
const merged = (edited: string[], before: string[], stored: string[]): string[] => [
  ...stored.filter((origin) => edited.includes(origin) || !before.includes(origin)),
  ...edited.filter((origin) => !before.includes(origin) && !stored.includes(origin)),
];

/** Says why a page may or may not embed the widget, and mends it. */
function OriginCheck({ agent }: TabProps) {
  const { agents } = useStrings();
  const [page, setPage] = useState('');
  const update = useButton(UPDATE_AGENT);
  const verdict = page.trim() === '' ? undefined : checkOrigin(page, agent);
  const isAllowed = verdict?.kind === 'allowed' || verdict?.kind === 'dashboard';
  const missing = verdict && 'origin' in verdict && !isAllowed && verdict.kind !== 'not-public' ? verdict.origin : undefined;
  return (
    <Section title={agents.check}>
      <Stack gap="sm">
        <TextInput
          {...typed(page, setPage)}
          label={agents.pageAddress}
          description={agents.checkHelp}
          placeholder="https://www.shop.example.com/products"
          inputMode="url"
          autoComplete="off"
        />
        <div role="status">
          {verdict && (
            <Alert
              color={isAllowed ? 'teal' : 'red'}
              icon={isAllowed ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
              title={isAllowed ? agents.mayEmbed : agents.mayNotEmbed}
            >
              {reasonOf(verdict, agents.verdicts)}
            </Alert>
          )}
        </div>
        {missing && (
          <Action
            label={agents.allow(missing)}
            variant="light"
            {...update({ id: agent.id, input: { allowedOrigins: [...agent.allowedOrigins, missing] } })}
          />
        )}
      </Stack>
    </Section>
  );
}

type Sentences = ReturnType<typeof useStrings>['agents']['verdicts'];

function reasonOf(verdict: OriginVerdict, sentences: Sentences): string {
  if (verdict.kind === 'invalid') return sentences.invalid;
  if (verdict.kind === 'unsupported') return sentences.unsupported(verdict.scheme);
  if ('near' in verdict) return sentences[verdict.kind](verdict.origin, verdict.near);
  return sentences[verdict.kind](verdict.origin);
}

/** Why a page may not embed the widget, or that it may. */
type OriginVerdict =
  | { kind: 'allowed' | 'dashboard'; origin: string }
  | { kind: 'invalid' }
  | { kind: 'unsupported'; scheme: string }
  | { kind: 'not-public'; origin: string }
  | { kind: 'scheme' | 'port' | 'www' | 'subdomain'; origin: string; near: string }
  | { kind: 'missing'; origin: string };

/** Add the scheme that a person leaves out. */
const withScheme = (text: string) =>
  /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+:\d+(?:\/|$)/.test(text) ? text : `https://${text}`;

/** The origin that a browser sends for a page; null for text that is no web address. */
function originOf(text: string): string | null {
  const url = URL.parse(withScheme(text.trim()));
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.origin : null;
}

/**
 * Explain whether a page may embed an agent. Origins are compared as text, so the nearest allowed origin often shows the mistake.
 * @param page an address of a page, or its origin
 */
function checkOrigin(
  page: string,
  { allowedOrigins, publicAccess }: { allowedOrigins: string[]; publicAccess: boolean },
): OriginVerdict {
  const url = URL.parse(withScheme(page.trim()));
  if (!url) return { kind: 'invalid' };
  if (!/^https?:$/.test(url.protocol)) return { kind: 'unsupported', scheme: url.protocol };
  const { origin } = url;
  if (!publicAccess) return { kind: 'not-public', origin };
  if (origin === location.origin) return { kind: 'dashboard', origin };
  if (allowedOrigins.includes(origin)) return { kind: 'allowed', origin };
  const bare = (host: string) => host.replace(/^www\./, '');
  const nearest = (matches: (allowed: URL) => boolean) => allowedOrigins.find((each) => matches(new URL(each)));
  const rules = {
    scheme: (allowed: URL) => allowed.hostname === url.hostname && allowed.protocol !== url.protocol,
    port: (allowed: URL) => allowed.hostname === url.hostname && allowed.port !== url.port,
    www: (allowed: URL) => bare(allowed.hostname) === bare(url.hostname),
    subdomain: (allowed: URL) =>
      url.hostname.endsWith(`.${bare(allowed.hostname)}`) || bare(allowed.hostname).endsWith(`.${bare(url.hostname)}`),
  };
  for (const [kind, matches] of Object.entries(rules)) {
    const near = nearest(matches);
    if (near) return { kind: kind as keyof typeof rules, origin, near };
  }
  return { kind: 'missing', origin };
}
