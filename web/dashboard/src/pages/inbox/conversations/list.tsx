import { Skeleton } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useEvery } from '../../../graph/every.ts';
import { usePages } from '../../../graph/pages.ts';
import { isOutdated } from '../../../parts/data-table.tsx';
import { Empty, Failure, Loading, Outdated } from '../../../parts/states.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { useAgentNames } from '../agent-select.tsx';
import { useHandoffQueue } from '../handoff-queue.tsx';
import classes from './conversations.module.css';
import { CONVERSATIONS } from './documents.ts';
import { type Filter, Filters, noFilter, variablesOf } from './filters.tsx';
import { ConversationLink } from './link.tsx';

const ROW_HEIGHT = 84;
/** Seconds between reads. Changes of handoffs appear at once. */
const INTERVAL = 15;

/** The conversations of visitors, newest first, read as they scroll into view. */
export function ConversationList({ selected }: { selected?: string }) {
  const { inbox } = useStrings();
  const names = useAgentNames();
  const [filter, setFilter] = useState<Filter>(noFilter);
  const rows = usePages(CONVERSATIONS, variablesOf(filter), ({ conversations }) => conversations);
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
  useEvery(INTERVAL, () => retry?.());

  return (
    <>
      <Filters filter={filter} onChange={setFilter} />
      {rows.error && isOutdated(rows) && <Outdated error={rows.error} retry={retry} />}
      {rows.error && !isOutdated(rows) ? (
        <Failure error={rows.error} retry={rows.retry} />
      ) : rows.count === undefined ? (
        <Loading />
      ) : rows.count === 0 ? (
        <Empty
          icon={IconMessages}
          title={filter === noFilter ? inbox.noConversations : inbox.noMatches}
          text={filter === noFilter ? inbox.noConversationsText : undefined}
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
