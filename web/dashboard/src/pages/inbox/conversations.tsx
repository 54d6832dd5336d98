import { Badge, Center, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { FigureBar, useFigure, variablesOfFigure } from '../../agents/figure-filter.tsx';
import { useEvery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { useHandoffQueue } from '../../layout/overview.tsx';
import { isOutdated } from '../../parts/data-table.tsx';
import { Note, Tag } from '../../parts/elements.tsx';
import { Choice, Search } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Failure, Loading, Outdated } from '../../parts/page-frame.tsx';
import { useAddress, useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import {
  Approvals,
  CONVERSATIONS,
  ConversationRow,
  ConversationView,
  StateBadge,
  VerifiedBadge,
  visitorName,
} from './conversation.tsx';
import classes from './conversations.module.css';
import { AgentSelect, tagOf, useAgentNames } from './list-bar.tsx';

/** The list of conversations, and beside it the open one. Narrow screens show one of them. */
export function View() {
  const { inbox } = useStrings();
  const { id } = useParams();
  return (
    <div className={classes.panes} data-open={id !== undefined || undefined}>
      <section className={classes.list} aria-label={inbox.views.conversations}>
        <ConversationList selected={id} />
      </section>
      <section className={classes.detail} aria-label={inbox.conversation}>
        {id ? (
          <ConversationView key={id} id={id} />
        ) : (
          <>
            <Approvals />
            <Center h="100%">
              <Text size="md" c="dimmed">
                {inbox.choose}
              </Text>
            </Center>
          </>
        )}
      </section>
    </div>
  );
}

const ROW_HEIGHT = 84;
/** The conversations of visitors, newest first, read as they scroll into view. */
function ConversationList({ selected }: { selected?: string }) {
  const { inbox } = useStrings();
  const names = useAgentNames();
  const { user } = useSession();
  const [filter, setFilter] = useState<Filter>(noFilter);
  const { figure, leave } = useFigure();
  const chosen = variablesOf(filter, user.id);
  const variables = figure ? { ...chosen, ...variablesOfFigure(figure) } : chosen;
  const rows = usePages(CONVERSATIONS, variables, ({ conversations }) => conversations);
  const viewport = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.count ?? 0,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 5,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { onRange, retry } = rows;
  useEffect(() => onRange?.(first, last), [onRange, first, last]);
  const queue = useHandoffQueue();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the queue reads the list again.
  useEffect(() => retry?.(), [queue]);
  // Changes of handoffs appear at once.
  useEvery(15, () => retry?.());

  return (
    <>
      <Filters filter={filter} onChange={setFilter} hasAgent={!figure} />
      {figure && <FigureBar figure={figure} agentName={names.get(figure.agent)} onLeave={leave} />}
      {rows.error && isOutdated(rows) && <Outdated error={rows.error} retry={retry} />}
      {rows.error && !isOutdated(rows) ? (
        <Failure error={rows.error} retry={rows.retry} />
      ) : rows.count === undefined ? (
        <Loading />
      ) : rows.count === 0 ? (
        <Empty
          icon={IconMessages}
          title={filter === noFilter && !figure ? inbox.noConversations : inbox.noMatches}
          text={filter === noFilter && !figure ? inbox.noConversationsText : undefined}
        />
      ) : (
        <div ref={viewport} className={classes.rows}>
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {items.map(({ index, start }) => {
              const row = rows.at(index);
              return row ? (
                <ConversationLink
                  key={row.id}
                  conversation={row}
                  agentName={names.get(row.agentId)}
                  isSelected={row.id === selected}
                  top={start}
                />
              ) : (
                <div key={index} className={classes.row} style={{ top: start }}>
                  <Skeleton h={14} w="60%" mb={8} />
                  <Skeleton h={10} />
                </div>
              );
            })}
          </div>
        </div>
      )}
    </>
  );
}

interface Filter {
  state: 'all' | 'mine' | 'waiting' | 'active' | 'open' | 'closed' | 'liked' | 'disliked';
  agentId: string | null;
  search: string;
}
const noFilter: Filter = { state: 'all', agentId: null, search: '' };

const states = {
  all: {},
  mine: {},
  waiting: { handoffStatus: 'waiting' },
  active: { handoffStatus: 'active' },
  open: { status: 'open' },
  closed: { status: 'closed' },
  liked: { rating: 'up' },
  disliked: { rating: 'down' },
} as const;

const variablesOf = ({ state, agentId, search }: Filter, userId: string) => {
  const tag = tagOf(search);
  const words = tag ? { tag } : { search: search.trim() || null };
  return { ...states[state], ...(state === 'mine' && { assignedToUserId: userId }), ...words, agentId };
};

interface FiltersProps {
  filter: Filter;
  onChange(filter: Filter): void;
  /** Whether the agent can be chosen. */
  hasAgent: boolean;
}

function Filters({ filter, onChange, hasAgent }: FiltersProps) {
  const { inbox, terms } = useStrings();
  return (
    <Stack gap="xs" className={classes.bar}>
      <Group>
        <Search label={inbox.search} value={filter.search} onSearch={(search) => onChange({ ...filter, search })} />
      </Group>
      <Group gap="xs" grow>
        <Choice
          aria-label={terms.state}
          labels={inbox.filters}
          value={filter.state}
          onChange={(state) => onChange({ ...filter, state })}
        />
        {hasAgent && <AgentSelect value={filter.agentId} onChange={(agentId) => onChange({ ...filter, agentId })} />}
      </Group>
    </Stack>
  );
}

interface LinkProps {
  conversation: ConversationRow;
  agentName: string | undefined;
  isSelected: boolean;
  /** Position in the list, in pixels. */
  top: number;
}

function ConversationLink({ conversation, agentName, isSelected, top }: LinkProps) {
  const { inbox, formats } = useStrings();
  const address = useAddress();
  const { search } = useLocation();
  const { id, lastMessageText, lastMessageAt, createdAt, openHandoff, assignedToName, tags } = conversation;
  return (
    <Link
      to={`${address(`inbox/conversations/${id}`)}${search}`}
      className={classes.row}
      style={{ top }}
      aria-current={isSelected ? 'true' : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} truncate>
          {visitorName(inbox.visitor, conversation)}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {formats.ago(lastMessageAt ?? createdAt)}
        </Text>
      </Group>
      <Note truncate>{lastMessageText ?? inbox.noMessages}</Note>
      <Group gap={6} wrap="nowrap" mt={2}>
        <StateBadge conversation={conversation} />
        {openHandoff?.awayUntil && <Tag label={inbox.outsideHours} size="sm" color="gray" />}
        {conversation.verified && <VerifiedBadge />}
        {(openHandoff?.unseenMessages ?? 0) > 0 && (
          <Badge size="sm" variant="filled">
            {inbox.unseen(openHandoff!.unseenMessages)}
          </Badge>
        )}
        <Note size="xs" truncate>
          {[assignedToName, tags.join(', '), agentName].filter(Boolean).join(' · ')}
        </Note>
      </Group>
    </Link>
  );
}
