import { Combobox, Group, Modal, ScrollArea, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { jobPath, useJobTitle } from '../jobs/job-state.tsx';
import { useFocusReturn } from '../parts/overlays.tsx';
import { routes } from '../routes.ts';
import { useGo, useOrganization } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';

const PRODUCTS = graphql(`query PaletteProducts($text: String!) { searchProducts(query: $text, limit: 6) { id name sku } }`);
const JOBS = graphql(`query PaletteJobs { jobs(limit: 50) { nodes { id kind createdAt uploadedFiles { id name } } } }`);
const CONVERSATIONS = graphql(`
  query PaletteConversations($text: String!) {
    conversations(search: $text, channel: widget, limit: 5) { nodes { id visitorId lastMessageText } }
  }
`);

/** Jobs and pages of one kind that the list shows. */
const MAX = 5;

interface Entry {
  /** The address within the organization. */
  path: string;
  label: string;
  detail?: string;
}

/** Finds pages, products, jobs and conversations by what the reader types. The arrow keys choose, and Enter opens. */
export function Palette({ onClose }: { onClose(): void }) {
  const { palette, layout, terms } = useStrings();
  const { go } = useGo();
  const [text, setText] = useState('');
  const groups = useEntries(text.trim());
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const combobox = useCombobox({ opened: true });
  useFocusReturn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries begin with the first one again.
  useEffect(() => void combobox.selectFirstOption(), [text, count]);
  return (
    <Modal.Root opened onClose={onClose} size="lg" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label={layout.search}>
        <Combobox
          store={combobox}
          onOptionSubmit={(path) => {
            onClose();
            go(path);
          }}
        >
          <Combobox.EventsTarget withExpandedAttribute>
            <TextInput
              data-autofocus
              size="md"
              variant="unstyled"
              px="md"
              role="combobox"
              aria-label={layout.search}
              placeholder={palette.placeholder}
              maxLength={256}
              value={text}
              onChange={({ currentTarget: { value } }) => setText(value)}
              leftSection={<IconSearch size={18} aria-hidden />}
              leftSectionWidth={48}
            />
          </Combobox.EventsTarget>
          <VisuallyHidden role="status">{palette.count(count)}</VisuallyHidden>
          <ScrollArea.Autosize mah="60dvh" p="xs" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': layout.search }}>
            <Combobox.Options>
              {groups.map(({ label, entries }) => (
                <Combobox.Group key={label} label={label}>
                  {entries.map((entry) => (
                    <Combobox.Option key={entry.path} value={entry.path}>
                      <Group justify="space-between" wrap="nowrap" gap="sm">
                        <Text truncate>{entry.label}</Text>
                        {entry.detail && (
                          <Text size="xs" truncate>
                            {entry.detail}
                          </Text>
                        )}
                      </Group>
                    </Combobox.Option>
                  ))}
                </Combobox.Group>
              ))}
              {count === 0 && <Combobox.Empty>{terms.nothingFound}</Combobox.Empty>}
            </Combobox.Options>
          </ScrollArea.Autosize>
        </Combobox>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The entries that match a text, by kind. */
function useEntries(text: string): { label: string; entries: Entry[] }[] {
  const { inbox, pages, formats } = useStrings();
  const titleOf = useJobTitle();
  const { isAdmin } = useOrganization();
  const [search] = useDebouncedValue(text, 200);
  const isShort = search === '';
  const [{ data: found }] = useQuery({ query: PRODUCTS, variables: { text: search }, pause: isShort });
  const [{ data: started }] = useQuery({ query: JOBS });
  const [{ data: talked }] = useQuery({ query: CONVERSATIONS, variables: { text: search }, pause: isShort });
  const words = text.toLowerCase().split(/\s+/);
  const matches = (label: string) => words.every((word) => label.toLowerCase().includes(word));
  const pageEntries = routes
    .map(({ path, name }) => ({ path: path.replace(/\/?:.*/, ''), label: pages[name], isRecord: /:\w+(?!\?)(\/|$)/.test(path) }))
    .filter(({ path, label, isRecord }) => !isRecord && (isAdmin || path !== 'agents') && matches(label));
  const jobEntries = (started?.jobs.nodes ?? [])
    .map((job) => ({ path: jobPath(job), label: titleOf(job), detail: formats.time(job.createdAt) }))
    .filter(({ label, detail }) => matches(`${label} ${detail}`));
  const groups = [
    { label: pages.products, entries: isShort ? [] : productEntries(found?.searchProducts) },
    { label: inbox.views.conversations, entries: isShort ? [] : conversationEntries(talked?.conversations.nodes, inbox.visitor) },
    { label: pages.jobs, entries: jobEntries.slice(0, MAX) },
  ];
  const all = [{ label: pages.pages, entries: isShort ? pageEntries : pageEntries.slice(0, MAX) }, ...groups];
  return all.filter(({ entries }) => entries.length > 0);
}

const productEntries = (found: { id: string; name: string; sku: string }[] = []): Entry[] =>
  found.map(({ id, name, sku }) => ({ path: `products/${id}`, label: name, detail: sku }));

const conversationEntries = (
  found: { id: string; visitorId: string; lastMessageText?: string | null }[] = [],
  visitor: string,
): Entry[] =>
  found.map(({ id, visitorId, lastMessageText }) => ({
    path: `inbox/conversations/${id}`,
    label: lastMessageText ?? `${visitor} ${visitorId.slice(0, 4)}`,
    detail: `${visitor} ${visitorId.slice(0, 4)}`,
  }));
