import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

/** A site in a workspace with a member, and clients of the surface with and without access. */
export async function openRest() {
  const acme = await seedOrganization();
  const user = await acme.addMember('member');
  const { graphql } = caller(acme.key);
  const rest = (key?: string) => {
    const client = caller(undefined, { url: process.env.TEST_SITE_URL! });
    const authorization = key ? { authorization: `Bearer ${key}` } : undefined;
    return (method: string, path: string, body?: unknown, headers = {}) =>
      client.send(method, `/api/v1${path}`, body, { ...authorization, ...headers });
  };
  const owner = rest(acme.key);
  const member = rest(user.key);
  const stranger = rest((await seedOrganization()).key);
  const make = async (text: string, variables: Record<string, unknown> = {}) => (await graphql(text, variables)).made;
  const create = (operation: string, type: string, siteId: string, input: object) =>
    make(`mutation ($siteId: ID!, $input: ${type}!) { made: ${operation}(siteId: $siteId, input: $input) { id } }`, {
      siteId,
      input,
    });
  const act = (operation: string, id: string) => make(`mutation ($id: ID!) { made: ${operation}(id: $id) { id } }`, { id });

  const workspace = await make('mutation { made: createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const site = await make(
    'mutation ($id: ID!) { made: createSite(input: { workspaceId: $id, name: "S", slug: "s" }) { id } }',
    workspace,
  );
  await act('publishSite', site.id);
  await make('mutation ($id: ID!, $user: ID!) { made: addWorkspaceMember(workspaceId: $id, userId: $user, role: member) { id } }', {
    id: workspace.id,
    user: user.id,
  });
  return { acme, user, graphql, rest, owner, member, stranger, make, create, act, workspace, site };
}
