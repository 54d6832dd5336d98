import { Alert, Button, Center, EmptyState, Group, Loader, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconHourglass,
  IconLock,
  IconMapOff,
  IconMoodEmpty,
  IconPlugConnectedX,
  type TablerIcon,
} from '@tabler/icons-react';
import {
  Component,
  type ComponentType,
  createContext,
  Fragment,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useState,
} from 'react';
import { Link } from 'react-router';
import type { CombinedError } from 'urql';
import { codeOf, isForbidden, messageOf, waitOf } from '../graph/graph-client.ts';
import { useStrings } from '../strings/strings.tsx';
import classes from './page-frame.module.css';

/** The heading of a page, which also names the browser tab, with the page's actions beside it. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  // The tab never has another name than the visible page.
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <Group justify="space-between" mb="md" wrap="wrap" gap="sm">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

/** A page outside any organization: one card in the middle. */
export function Narrow({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const { product } = useStrings();
  useLayoutEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper w={420} maw="100%" p="xl" withBorder shadow="sm">
        <Stack>
          <Text fw={600}>{product}</Text>
          <Title order={1} size="h3">
            {title}
          </Title>
          {text && <Text>{text}</Text>}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

/** A titled card of a page. */
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <Paper component="section" aria-label={title} withBorder p="md">
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      {actions}
    </Group>
    {children}
  </Paper>
);

/** A page or part that waits for its first data. The dots appear late, so that a fast answer does not flicker. */
export function Loading() {
  const { states } = useStrings();
  return (
    <Center mih={200} role="status" aria-label={states.loading} className={classes.late}>
      <Loader type="dots" />
    </Center>
  );
}

/** A component whose code loads when it first appears. Its place is empty until then. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Content: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <Suspense>
      <Content {...props} />
    </Suspense>
  );
}

export interface EmptyProps {
  title: string;
  text?: ReactNode;
  icon?: TablerIcon;
  /** Buttons that lead out of the state. */
  action?: ReactNode;
}

/** A list or page without content, with the next step. */
export const Empty = ({ title, text, icon: Icon = IconMoodEmpty, action }: EmptyProps) => (
  <Center mih={240} p="md">
    <EmptyState title={title} description={text} icon={<Icon size={28} stroke={1.5} aria-hidden />} withIndicatorBackground>
      {action && <EmptyState.Actions>{action}</EmptyState.Actions>}
    </EmptyState>
  </Center>
);

/** Whether the page has the header and the navigation around it. */
export const Framed = createContext(false);

/** A state in place of a whole page. It leads to the start page unless it has other buttons. */
export function PageState({ title, text, action, ...rest }: EmptyProps & { text: string }) {
  const { actions } = useStrings();
  const isFramed = useContext(Framed);
  const home = (
    <Button component={Link} to="/">
      {actions.home}
    </Button>
  );
  const content = (
    <>
      <PageTitle title={title} />
      <Empty title={text} {...rest} action={action ?? home} />
    </>
  );
  if (isFramed) return content;
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack align="center" gap={0}>
        {content}
      </Stack>
    </Center>
  );
}

/** An address without a page. */
export function NotFound() {
  const { states } = useStrings();
  return <PageState icon={IconMapOff} title={states.notFound} text={states.notFoundText} />;
}

interface FailureProps {
  error: CombinedError;
  retry?(): void;
  /** `PageState` if nothing else is on the page. */
  as?: typeof PageState;
}

/** A failed read: its kind, the server's sentence, and a retry unless that would fail, too. */
export function Failure({ error, retry, as: State = Empty }: FailureProps) {
  const { states } = useStrings();
  if (codeOf(error) === 'NO_ACCESS') return <State icon={IconLock} title={states.noPermission} text={states.noOrganization} />;
  if (isForbidden(error)) return <State icon={IconLock} title={states.noPermission} text={messageOf(error)} />;
  if (codeOf(error) === 'NOT_FOUND') return <State icon={IconMapOff} title={states.notFound} text={states.notFoundText} />;
  if (waitOf(error) !== undefined && retry) return <Busy error={error} retry={retry} as={State} />;
  const button = retry && <Button onClick={retry}>{states.retry}</Button>;
  return error.networkError ? (
    <State icon={IconPlugConnectedX} title={states.unreachable} text={states.unreachableText} action={button} />
  ) : (
    <State icon={IconAlertTriangle} title={states.failed} text={messageOf(error)} action={button} />
  );
}

/** A busy server. The next attempt follows when the server expects it. */
function Busy({ error, retry, as: State = Empty }: FailureProps & { retry(): void }) {
  const { states } = useStrings();
  const left = useCountdown(error, retry);
  return (
    <State
      icon={IconHourglass}
      title={states.busy}
      text={states.busyText(left)}
      action={<Button onClick={retry}>{states.retry}</Button>}
    />
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

interface LoadedProps<Data> {
  query: readonly [
    { data?: Data; error?: CombinedError; isOutdated: boolean },
    (options?: { requestPolicy: 'network-only' }) => void,
    ...unknown[],
  ];
  /** Old data stay without a notice. */
  silent?: boolean;
  as?: typeof PageState;
  children: (data: Data) => ReactNode;
}

/** The content of a query, or its loading or error state. Old data stays visible while it is refetched, and when that fails. */
export function Loaded<Data>({ query: [{ data, error, isOutdated }, refetch], silent, as, children }: LoadedProps<Data>) {
  const retry = () => refetch({ requestPolicy: 'network-only' });
  if (data === undefined) return error ? <Failure error={error} retry={retry} as={as} /> : <Loading />;
  return (
    <>
      {isOutdated && error && !silent && <Outdated error={error} retry={retry} />}
      <Fragment key="content">{children(data)}</Fragment>
    </>
  );
}

/** A page that needs the data of a query. A failure is a page of its own. */
export const LoadedPage = <Data,>(props: LoadedProps<Data>) => <Loaded {...props} as={PageState} />;

interface Arrival {
  error?: CombinedError;
  fetching: boolean;
  stale: boolean;
  hasNext: boolean;
}

/** Whether parts of an answer can still arrive. */
export const isComing = ({ fetching, stale, hasNext }: Omit<Arrival, 'error'>): boolean => fetching || stale || hasNext;

interface DeferredPartProps<Value> {
  query: readonly [Arrival, (options: { requestPolicy: 'network-only' }) => void, ...unknown[]];
  /** A field of the deferred part; undefined until it has arrived. */
  value: Value | undefined;
  /** Pixels of its place meanwhile. */
  height: number;
  children: (value: Value) => ReactNode;
}

/** The content of a deferred part of a query, its place until it arrives, or that it failed. */
export function DeferredPart<Value>({ query: [state, refetch], value, height, children }: DeferredPartProps<Value>) {
  const { states } = useStrings();
  if (value !== undefined) return children(value);
  if (isComing(state)) return <Skeleton h={height} role="status" aria-label={states.loading} className={classes.late} />;
  const retry = () => refetch({ requestPolicy: 'network-only' });
  if (state.error) return <Failure error={state.error} retry={retry} />;
  // urql leaves out the error of a part that failed as a whole.
  return <Empty icon={IconAlertTriangle} title={states.failed} action={<Button onClick={retry}>{states.retry}</Button>} />;
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

interface Props {
  /** A crash ends when this changes. */
  place?: string;
  children: ReactNode;
}

/** Catches exceptions of the components below, such as a page that fails to load after a deployment. */
export class Crash extends Component<Props, { crashed: boolean }> {
  override state = { crashed: false };
  static getDerivedStateFromError = () => ({ crashed: true });

  override componentDidUpdate(before: Props) {
    if (this.state.crashed && before.place !== this.props.place) this.setState({ crashed: false });
  }

  override render() {
    return this.state.crashed ? <Crashed /> : this.props.children;
  }
}

function Crashed() {
  const { states } = useStrings();
  return (
    <PageState
      icon={IconAlertTriangle}
      title={states.crashed}
      text={states.crashedText}
      action={<Button onClick={() => location.reload()}>{states.reload}</Button>}
    />
  );
}

/** Returns a function that tells an error in plain words: the server's sentence, how long to wait, or that the server cannot be reached. */
export function useSentence(): (error: CombinedError) => string {
  const { states } = useStrings();
  return (error) => {
    const wait = waitOf(error);
    if (wait !== undefined) return states.busyNow(wait);
    return error.networkError ? `${states.unreachable}. ${states.unreachableText}` : messageOf(error);
  };
}
