import { caller } from '../support/client.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { database, seedOrganization } from '../support/seed.ts';

const CREATE_AGENT = 'mutation ($name: String!) { createAgent(input: { name: $name }) { id publicSlug } }';

interface Options {
  modules?: string[];
  plan?: string;
  /** Another gateway than the shared one, and its database. */
  system?: { url: string; databaseUrl: string };
}

/** An organization with an agent, and a client of the integration API. */
export async function openIntegration({ modules = ['helpdesk'], plan = 'growth', system }: Options = {}) {
  const organization = await seedOrganization({ modules, plan, databaseUrl: system?.databaseUrl });
  const { graphql, refusal, send, subscribe } = caller(organization.key, { url: system?.url });
  const createAgent = async (name: string) =>
    (await graphql(CREATE_AGENT, { name })).createAgent as { id: string; publicSlug: string };
  const agent = await createAgent('Support desk');
  const get = (path: string) => send('GET', `/api/v1${path}`);
  const post = (path: string, body: object) => send('POST', `/api/v1${path}`, body);
  const remove = (path: string) => send('DELETE', `/api/v1${path}`);
  /** The bodies of the deliveries of this organization, oldest first. */
  const events = () => bodiesOf(database(system?.databaseUrl), 'd.organization_id = $1', [organization.id]);
  return { organization, agent, createAgent, graphql, refusal, subscribe, get, post, remove, events };
}
