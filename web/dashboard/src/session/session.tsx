import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useMemo, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Provider } from 'urql';
import { onRefused, resumeGraphs, useGraph } from '../graph/use-graph.ts';
import { discardUnsaved } from '../parts/leaving.ts';
import { showProblem } from '../parts/overlays.tsx';
import { Failure, Loading, PageState } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';
import { endSession, Refusal, readSession, type User, useResponse } from './api.ts';

interface Session {
  user: User;
  signOut(): Promise<void>;
}
const Context = createContext<Session | null>(null);
export const useSession = (): Session => useContext(Context)!;

/** Pages that need a session. Without one, leads to the sign-in page and back. */
export function SignedIn() {
  const { answer, retry } = useResponse(readSession);
  if (!answer) return <Loading />;
  if ('error' in answer) return <Failure error={answer.error} retry={retry} as={PageState} />;
  return answer.value ? <WithSession user={answer.value} /> : <ToSignIn />;
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate replace to={`/sign-in?to=${encodeURIComponent(pathname + search)}`} />;
}

function WithSession({ user }: { user: User }) {
  const { states } = useStrings();
  const session = useMemo(
    () => ({
      user,
      async signOut() {
        try {
          await endSession();
        } catch (error) {
          return showProblem((error instanceof Refusal && error.sentence) || states.unreachableText);
        }
        tellTabs(null);
        discardUnsaved();
        location.assign('/sign-in');
      },
    }),
    [user, states],
  );
  useEffect(() => {
    tellTabs(user.id);
    // After a sign-out in another tab, nothing stays on the screen. After a sign-in of another user, nothing is written in that name.
    return listenToTabs((userId) => {
      if (userId === user.id) return;
      discardUnsaved();
      location.reload();
    });
  }, [user.id]);
  return (
    <Context value={session}>
      <Graph organization="">
        <Outlet />
      </Graph>
      <SessionWatch userId={user.id} />
    </Context>
  );
}

/** The graph client of one organization for the pages below. */
export function Graph({ organization, children }: { organization: string; children: ReactNode }) {
  const client = useGraph(organization);
  return client && <Provider value={client}>{children}</Provider>;
}

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));
/** Milliseconds between two resumptions of one session. A server that refuses only the organization must cause no loop. */
const PAUSE = 30_000;

/** Leaves the page as it is when its session ends, so that nothing typed is lost. The user signs in in another tab and continues here. */
function SessionWatch({ userId }: { userId: string }) {
  const [isEnded, setEnded] = useState(false);
  const check = useMemo(() => createCheck(userId, setEnded), [userId]);
  useEffect(() => onRefused(check), [check]);
  useEffect(() => {
    if (!isEnded) return;
    addEventListener('focus', check);
    const stop = listenToTabs((user) => user === userId && check());
    return () => {
      removeEventListener('focus', check);
      stop();
    };
  }, [isEnded, userId, check]);
  return (
    isEnded && (
      <Suspense>
        <SignInAgain onContinue={check} />
      </Suspense>
    )
  );
}

/** Returns a function that asks the server whether the session exists. If so, everything that was refused is sent again. */
function createCheck(userId: string, onChange: (isEnded: boolean) => void) {
  let [isEnded, isRunning, resumedAt] = [false, false, Number.NEGATIVE_INFINITY];
  async function decide() {
    const user = await readSession().catch(() => undefined);
    if (user === undefined) return;
    if (user && user.id !== userId) {
      discardUnsaved();
      return location.reload();
    }
    const wasEnded = isEnded;
    isEnded = user === null;
    onChange(isEnded);
    if (isEnded || (!wasEnded && performance.now() - resumedAt < PAUSE)) return;
    resumedAt = performance.now();
    resumeGraphs();
  }
  return async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    await decide();
    isRunning = false;
  };
}

/** The id of the user whose session this browser has; null after the user has signed out. */
type News = string | null;

// A second channel in this tab would hear what this one tells.
const channel = new BroadcastChannel('user');

const tellTabs = (news: News): void => channel.postMessage(news);

/** Listen to the other tabs until the result is called. */
function listenToTabs(listener: (news: News) => void): () => void {
  const receive = ({ data }: MessageEvent<News>) => listener(data);
  channel.addEventListener('message', receive);
  return () => channel.removeEventListener('message', receive);
}
