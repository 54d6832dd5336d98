import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Provider } from 'urql';
import { useGraph } from '../graph/use-graph.ts';
import { Failure, Loading, PageState } from '../parts/states.tsx';
import { showProblem } from '../parts/toast.ts';
import { discardUnsaved } from '../parts/unsaved.ts';
import { useStrings } from '../strings/strings.tsx';
import { useAnswer } from './answer.ts';
import { endSession, Refusal, readSession, type User } from './api.ts';
import { SessionWatch } from './session-watch.tsx';
import { listenToTabs, tellTabs } from './tabs.ts';

interface Session {
  user: User;
  signOut(): Promise<void>;
}
const Context = createContext<Session | null>(null);
export const useSession = (): Session => useContext(Context)!;

/** Pages that need a session. Without one, leads to the sign-in page and back. */
export function SignedIn() {
  const { answer, retry } = useAnswer(readSession);
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
