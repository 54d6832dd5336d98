import { Alert, Button, Center, EmptyState, Group, Loader } from '@mantine/core';
import {
  IconAlertTriangle,
  IconHourglass,
  IconLock,
  IconMapOff,
  IconMoodEmpty,
  IconPlugConnectedX,
  type TablerIcon,
} from '@tabler/icons-react';
import { Fragment, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { Link } from 'react-router';
import type { CombinedError } from 'urql';
import { codeOf, isForbidden, messageOf, waitOf } from '../graph/client.ts';
import { useStrings } from '../strings/strings.tsx';
import { PageTitle } from './page-title.tsx';
import classes from './states.module.css';
import { useSentence } from './use-sentence.ts';

/** A page or part that waits for its first data. The dots appear late, so that a fast answer does not flicker. */
export function Loading() {
  const { states } = useStrings();
  return (
    <Center mih={200} role="status" aria-label={states.loading} className={classes.late}>
      <Loader type="dots" />
    </Center>
  );
}

interface EmptyProps {
  title: string;
  text?: ReactNode;
  icon?: TablerIcon;
  /** Buttons that lead out of the state. */
  children?: ReactNode;
}

/** A list or page without content, with the next step. */
export const Empty = ({ title, text, icon: Icon = IconMoodEmpty, children }: EmptyProps) => (
  <Center mih={240} p="md">
    <EmptyState title={title} description={text} icon={<Icon size={28} stroke={1.5} aria-hidden />} withIndicatorBackground>
      {children && <EmptyState.Actions>{children}</EmptyState.Actions>}
    </EmptyState>
  </Center>
);

/** A failed read: the server's sentence, and a retry unless the caller lacks the permission. */
export function Failure({ error, retry }: { error: CombinedError; retry?(): void }) {
  const { states } = useStrings();
  if (isForbidden(error)) {
    return <Empty icon={IconLock} title={states.noPermission} text={messageOf(error)} />;
  }
  if (codeOf(error) === 'NOT_FOUND') return <Empty title={states.notFound} text={messageOf(error)} />;
  if (waitOf(error) !== undefined && retry) return <Busy error={error} retry={retry} />;
  if (error.networkError && retry) return <Unreachable retry={retry} />;
  return (
    <Empty icon={IconAlertTriangle} title={states.failed} text={messageOf(error)}>
      {retry && <Button onClick={retry}>{states.retry}</Button>}
    </Empty>
  );
}

/** A busy server. The next attempt follows when the server expects it. */
function Busy({ error, retry }: { error: CombinedError; retry(): void }) {
  const { states } = useStrings();
  const left = useCountdown(error, retry);
  return (
    <Empty icon={IconHourglass} title={states.busy} text={states.busyText(left)}>
      <Button onClick={retry}>{states.retry}</Button>
    </Empty>
  );
}

/** The seconds until the next attempt, which starts at zero. Each error starts a countdown. */
function useCountdown(error: CombinedError, retry: () => void): number {
  const [left, setLeft] = useState(() => waitOf(error)!);
  const attempt = useEffectEvent(retry);
  useEffect(() => {
    const end = Date.now() + waitOf(error)! * 1_000;
    const tick = () => {
      const seconds = Math.ceil((end - Date.now()) / 1_000);
      setLeft(Math.max(1, seconds));
      if (seconds > 0) return;
      clearInterval(timer);
      attempt();
    };
    const timer = setInterval(tick, 1_000);
    tick();
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

/** The server does not answer at all. */
export function Unreachable({ retry }: { retry(): void }) {
  const { states } = useStrings();
  return (
    <Empty icon={IconPlugConnectedX} title={states.unreachable} text={states.unreachableText}>
      <Button onClick={retry}>{states.retry}</Button>
    </Empty>
  );
}

/** An address without a page. */
export function NotFound() {
  const { states, actions } = useStrings();
  return (
    <>
      <PageTitle title={states.notFound} />
      <Empty icon={IconMapOff} title={states.notFoundText}>
        <Button component={Link} to="/">
          {actions.home}
        </Button>
      </Empty>
    </>
  );
}

interface LoadedProps<Data> {
  /** The result of `useQuery`. */
  query: readonly [
    { data?: Data; error?: CombinedError; isOutdated: boolean },
    (options?: { requestPolicy: 'network-only' }) => void,
    ...unknown[],
  ];
  /** Old data stay without a notice. */
  silent?: boolean;
  children: (data: Data) => ReactNode;
}

/** The content of a query, or its loading or error state. Old data stays visible while it is refetched, and when that fails. */
export function Loaded<Data>({ query: [{ data, error, isOutdated }, refetch], silent, children }: LoadedProps<Data>) {
  const retry = () => refetch({ requestPolicy: 'network-only' });
  if (data === undefined) return error ? <Failure error={error} retry={retry} /> : <Loading />;
  return (
    <>
      {isOutdated && error && !silent && <Outdated error={error} retry={retry} />}
      <Fragment key="content">{children(data)}</Fragment>
    </>
  );
}

/** The page of one record. It says so if the record does not exist. */
export function LoadedPage<Data>(props: LoadedProps<Data>) {
  const [{ data, error }] = props.query;
  return data === undefined && error && codeOf(error) === 'NOT_FOUND' ? <NotFound /> : <Loaded {...props} />;
}

/** Tells that the content below could not be refreshed. */
export function Outdated({ error, retry }: { error: CombinedError; retry?(): void }) {
  const { states } = useStrings();
  const sentence = useSentence();
  return (
    <Alert color="yellow" mb="md" icon={<IconPlugConnectedX aria-hidden />} title={states.outdated} role="status">
      <Group justify="space-between" gap="xs">
        {sentence(error)}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {states.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
