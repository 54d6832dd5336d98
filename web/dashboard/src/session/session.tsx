import { createContext, type ReactNode, use, useContext, useMemo, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Provider } from 'urql';
import { useGraph } from '../graph/use-graph.ts';
import { Unreachable } from '../parts/states.tsx';
import { endSession, readSession, type User } from './api.ts';

interface Session {
  user: User;
  signOut(): Promise<void>;
}
const Context = createContext<Session | null>(null);
export const useSession = (): Session => useContext(Context)!;

/** Pages that need a session. Without one, leads to the sign-in page and back. Suspends while the session is read. */
export function SignedIn() {
  const [reading, setReading] = useState(() => readOutcome());
  const outcome = use(reading);
  if (outcome === 'unreachable') return <Unreachable retry={() => setReading(readOutcome())} />;
  return outcome ? <WithSession user={outcome} /> : <ToSignIn />;
}

/** A promise that never rejects, so that `use` needs no error boundary. */
const readOutcome = () => readSession().catch(() => 'unreachable' as const);

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate replace to={`/sign-in?to=${encodeURIComponent(pathname + search)}`} />;
}

function WithSession({ user }: { user: User }) {
  const session = useMemo(
    () => ({
      user,
      async signOut() {
        await endSession();
        location.assign('/sign-in');
      },
    }),
    [user],
  );
  return (
    <Context value={session}>
      <Graph organization="">
        <Outlet />
      </Graph>
    </Context>
  );
}

/** The graph client of one organization for the pages below. */
export function Graph({ organization, children }: { organization: string; children: ReactNode }) {
  const client = useGraph(organization);
  return client && <Provider value={client}>{children}</Provider>;
}
