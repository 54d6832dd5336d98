import { Button, Center, EmptyState, Loader } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMapOff, IconMoodEmpty, IconPlugConnectedX, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { CombinedError, UseQueryState } from 'urql';
import { codeOf, messageOf } from '../graph/client.ts';
import { useStrings } from '../strings/strings.tsx';
import { PageTitle } from './page-title.tsx';

/** A page or part that waits for its first data. */
export function Loading() {
  const { states } = useStrings();
  return (
    <Center mih={200} role="status" aria-label={states.loading}>
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
  const code = codeOf(error);
  if (code === 'FORBIDDEN' || code === 'NO_ACCESS' || code === 'PLAN_REQUIRED') {
    return <Empty icon={IconLock} title={states.noPermission} text={messageOf(error)} />;
  }
  if (code === 'NOT_FOUND') return <Empty title={states.notFound} text={messageOf(error)} />;
  if (error.networkError && retry) return <Unreachable retry={retry} />;
  return (
    <Empty icon={IconAlertTriangle} title={states.failed} text={messageOf(error)}>
      {retry && <Button onClick={retry}>{states.retry}</Button>}
    </Empty>
  );
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
  query: readonly [UseQueryState<Data>, (options?: { requestPolicy: 'network-only' }) => void, ...unknown[]];
  children: (data: Data) => ReactNode;
}

/** The content of a query, or its loading or error state. Old data stays visible while it is refetched. */
export function Loaded<Data>({ query: [{ data, error }, refetch], children }: LoadedProps<Data>) {
  if (data) return children(data);
  return error ? <Failure error={error} retry={() => refetch({ requestPolicy: 'network-only' })} /> : <Loading />;
}
