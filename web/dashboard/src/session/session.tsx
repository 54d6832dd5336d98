import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { Navigate, type NavigateOptions, Outlet, useLocation, useNavigate, useParams } from 'react-router';
import { Provider } from 'urql';
import type { OrganizationsQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { onRefused, resumeGraphs, useGraph } from '../graph/use-graph.ts';
import { discardUnsaved, useLeave } from '../parts/leaving.ts';
import { showProblem } from '../parts/overlays.tsx';
import { Failure, LoadedPage, Loading, NotFound, PageState } from '../parts/page-frame.tsx';
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
function Graph({ organization, children }: { organization: string; children: ReactNode }) {
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

type Organization = OrganizationsQuery['organizations'][number];

const ORGANIZATIONS = graphql(`query Organizations { organizations { id slug name role modules plan } }`);
const LAST = 'organization';

interface Choice {
  organization: Organization;
  all: Organization[];
  /** Whether the user may change settings, keys and members. */
  isAdmin: boolean;
  /** Read the organizations again, after their names changed. */
  refresh(): void;
}
const OrganizationContext = createContext<Choice | null>(null);

/** The organization in the address, and the others of the user. */
export const useOrganization = (): Choice => useContext(OrganizationContext)!;
/** An address within the organization, such as `/o/acme/jobs` for `jobs`. */
export const useAddress = () => {
  const { slug } = useOrganization().organization;
  return useCallback((path: string) => `/o/${slug}${path && `/${path}`}`, [slug]);
};

/** Navigations within the organization. `leaveTo` and `goBack` drop unsaved edits without a question. */
export function useGo() {
  const address = useAddress();
  const navigate = useNavigate();
  const { leaveTo, goBack } = useLeave();
  return {
    go: (path: string, options?: NavigateOptions) => navigate(address(path), options),
    leaveTo: (path: string, options?: NavigateOptions) => leaveTo(address(path), options),
    goBack: (parent: string) => goBack(address(parent)),
  };
}

/** Leads to the organization of the last visit, or to the page that founds one. */
export function ToOrganization() {
  const query = useQuery({ query: ORGANIZATIONS });
  return (
    <LoadedPage query={query}>
      {({ organizations }) => {
        const last = organizations.find(({ slug }) => slug === localStorage.getItem(LAST)) ?? organizations[0];
        return <Navigate replace to={last ? `/o/${last.slug}` : '/found'} />;
      }}
    </LoadedPage>
  );
}

/** Gives the pages below the organization in the address, with its own graph client. */
export function InOrganization({ children }: { children: ReactNode }) {
  const { slug } = useParams();
  const query = useQuery({ query: ORGANIZATIONS });
  const refresh = () => query[1]({ requestPolicy: 'network-only' });
  return (
    <LoadedPage query={query} silent>
      {({ organizations: all }) => {
        const organization = all.find((each) => each.slug === slug);
        if (!organization) return <NotFound />;
        localStorage.setItem(LAST, organization.slug);
        return (
          <OrganizationContext value={{ organization, all, isAdmin: organization.role !== 'member', refresh }}>
            <Graph key={organization.slug} organization={organization.slug}>
              {children}
            </Graph>
          </OrganizationContext>
        );
      }}
    </LoadedPage>
  );
}
