import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './chat.module.css';

/** Distance from the end, in pixels, within which the log follows new messages. */
const NEAR = 80;

interface Props {
  label: string;
  /** Changes with each new message or part. */
  version: unknown;
  children: ReactNode;
}

/** The messages of a conversation. It stays at the newest one unless the reader scrolled up. */
export function ChatLog({ label, version, children }: Props) {
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new content scrolls.
  useEffect(() => {
    if (follows.current) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [version]);
  return (
    <Stack
      ref={log}
      role="log"
      aria-label={label}
      tabIndex={0}
      gap="sm"
      align="flex-start"
      className={classes.log}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {children}
    </Stack>
  );
}
