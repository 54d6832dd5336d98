import { caller } from '../../support/client.ts';
import { seedOrganization } from '../../support/seed.ts';

interface Update {
  sequence: number;
  status: string;
  pageCount: number;
  failedPageCount: number;
  stagedCount: number;
  embeddedCount: number;
  chunkCount: number;
  error: string | null;
}

const PROGRESS = `subscription ($id: ID!, $after: Int!) {
  sourceProgress(id: $id, after: $after) { sequence status pageCount failedPageCount stagedCount embeddedCount chunkCount error }
}`;
const TEST = `query ($agentId: ID!, $question: String!) {
  testRetrieval(agentId: $agentId, question: $question) {
    tokens maxRetrievalTokens
    passages { id text url title page headings tokens score wordRank words vectorRank similarity included type source { id name } }
  }
}`;

/** An organization with an agent, and functions that manage its sources over REST. */
export async function openAgent({ url = process.env.TEST_URL!, databaseUrl = process.env.TEST_DATABASE_URL! } = {}) {
  const organization = await seedOrganization({ databaseUrl });
  const owner = caller(organization.key, { url });
  const created = await owner.post(`/api/${organization.slug}/agents`, { name: 'Support' });
  const agentId: string = created.body.data.agent.id;
  const path = `/api/${organization.slug}/agents/${agentId}/sources`;

  /** All updates of a source until its ingestion ends. */
  const follow = async (id: string, after = 0): Promise<Update[]> => {
    const updates: Update[] = [];
    for await (const { data, errors } of owner.subscribe(PROGRESS, { id, after })) {
      if (errors) throw new Error(JSON.stringify(errors));
      updates.push(data.sourceProgress);
    }
    return updates;
  };
  const addSource = async (body: object): Promise<string> => {
    const answer = await owner.post(path, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.data.source.id;
  };
  return {
    organization,
    owner,
    agentId,
    path,
    follow,
    addSource,
    /** Add a source and wait until its ingestion ends. */
    async index(body: object) {
      const id = await addSource(body);
      const updates = await follow(id);
      return { id, updates, last: updates.at(-1)! };
    },
    async ask(question: string) {
      return (await owner.graphql(TEST, { agentId, question })).testRetrieval;
    },
  };
}
