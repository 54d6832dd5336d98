import { type Route, routes } from '../../rest-adapter/route.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';

export const allRoutes = restTables.flatMap(routes);

/** Routes with a unique name each, for `test.each`. */
export const named = (list: readonly Route[]) => list.map((route) => ({ name: `${route.surface.name}: ${route.name}`, route }));

/** The base URL of the shared system that serves a route. */
export const urlOf = ({ surface }: Route): string => process.env[surface.listener === 'site' ? 'TEST_SITE_URL' : 'TEST_URL']!;
