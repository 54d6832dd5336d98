import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import { MantineProvider } from '@mantine/core';
import { type ComponentType, Fragment, lazy, type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { unstable_HistoryRouter as HistoryRouter, Outlet, Route, Routes, useParams } from 'react-router';
import { guardedHistory } from './parts/leaving.ts';
import { OverlayHost } from './parts/overlays.tsx';
import { Crash, Loading, NotFound } from './parts/page-frame.tsx';
import { routes } from './routes.ts';
import { InOrganization, SignedIn, ToOrganization } from './session/session.tsx';
import { Labels, loadPageStrings, StringsProvider } from './strings/strings.tsx';
import { resolveVariables, theme } from './theme.ts';

const page = (load: () => Promise<{ Page: ComponentType }>) => {
  const Page = lazy(async () => ({ default: (await load()).Page }));
  return <Page />;
};

/** The whole page: its providers, and a route for each address. */
const App = () => (
  <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto">
    <Suspense>
      <StringsProvider>
        <Labels>
          <Crash>
            {/* In a transition, a click would show nothing until the code of the next page has loaded. */}
            <HistoryRouter history={guardedHistory} useTransitions={false}>
              <Suspense fallback={<Loading />}>
                <Addresses />
              </Suspense>
            </HistoryRouter>
          </Crash>
          <OverlayHost />
        </Labels>
      </StringsProvider>
    </Suspense>
  </MantineProvider>
);

/** All pages but the start page load their strings beside their code. */
const withStrings = async (load: () => Promise<{ Page: ComponentType }>) => (await Promise.all([load(), loadPageStrings()]))[0];
const outside = [
  { path: '/sign-in', element: page(() => import('./pages/sign-in/page.tsx')) },
  { path: '/schema', element: page(() => withStrings(() => import('./pages/schema/page.tsx'))) },
  { path: '/auth/link/:token', element: page(async () => ({ Page: (await import('./pages/sign-in/page.tsx')).LinkPage })) },
];
const withoutOrganization = [
  { path: '/found', element: page(() => import('./pages/found/page.tsx')) },
  { path: '/invitation/:token', element: page(() => import('./pages/invitation/page.tsx')) },
];
const inOrganization = routes.map(({ path, load }) => ({
  path,
  element: <OfRecord path={path}>{page(path === '' ? load : () => withStrings(load))}</OfRecord>,
}));

/** Mounts a page anew for another record. Another tab or view of the same one keeps what the user has typed and chosen. */
function OfRecord({ path, children }: { path: string; children: ReactNode }) {
  const parameters = useParams();
  const names = path.replace(/:(tab|view|part)\b.*/, '').matchAll(/:(\w+)/g);
  return <Fragment key={Array.from(names, ([, name]) => parameters[name!]).join('/')}>{children}</Fragment>;
}

const Layout = lazy(async () => ({ default: (await import('./layout/layout.tsx')).Layout }));

const Addresses = () => (
  <Routes>
    {outside.map((each) => (
      <Route key={each.path} {...each} />
    ))}
    <Route element={<SignedIn />}>
      <Route path="/" element={<ToOrganization />} />
      {withoutOrganization.map((each) => (
        <Route key={each.path} {...each} />
      ))}
      <Route
        path="/o/:slug"
        element={
          <InOrganization>
            <Layout>
              <Outlet />
            </Layout>
          </InOrganization>
        }
      >
        {inOrganization.map(({ path, element }) => (
          <Route key={path} path={path} element={element} />
        ))}
        <Route path="*" element={<NotFound />} />
      </Route>
    </Route>
    <Route path="*" element={<NotFound />} />
  </Routes>
);

createRoot(document.getElementById('root')!).render(<App />);
