import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { Navigate, type NavigateOptions, useNavigate, useParams } from 'react-router';
import type { OrganizationsQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { useLeave } from '../parts/leaving.ts';
import { LoadedPage, NotFound } from '../parts/page-frame.tsx';
import { Graph } from './session.tsx';

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
const Context = createContext<Choice | null>(null);

/** The organization in the address, and the others of the user. */
export const useOrganization = (): Choice => useContext(Context)!;
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
          <Context value={{ organization, all, isAdmin: organization.role !== 'member', refresh }}>
            <Graph key={organization.slug} organization={organization.slug}>
              {children}
            </Graph>
          </Context>
        );
      }}
    </LoadedPage>
  );
}
