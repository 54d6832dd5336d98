import { openSites } from './operations.ts';

const made = (kind: string, input: string, selection: string, parent = 'siteId') =>
  `mutation ($${parent}: ID!, $input: ${input}!) { made: ${kind}(${parent}: $${parent}, input: $input) { ${selection} } }`;
const changed = (kind: string, input: string, selection: string) =>
  `mutation ($id: ID!, $version: Int!, $input: ${input}!) { made: ${kind}(id: $id, version: $version, input: $input) { ${selection} } }`;

export const PAGE = 'id title slug path content status publishedAt publishAt version';
export const ITEM = 'id slug status fields version references(status: all) { slug }';
const POST = 'id title slug status content version author { name } categories { slug }';

export const CREATE_PAGE = made('createPage', 'NewPage', PAGE);
export const UPDATE_PAGE = changed('updatePage', 'PageChange', PAGE);
export const CREATE_FORM = made('createSiteForm', 'NewSiteForm', 'id name version fields { name type }');
export const CREATE_COLLECTION = made('createCollection', 'NewCollection', 'id slug version fields { name type collectionId }');
export const UPDATE_COLLECTION = changed('updateCollection', 'CollectionChange', 'id slug version fields { name }');
export const CREATE_ITEM = made('createCollectionItem', 'NewItem', ITEM, 'collectionId');
export const UPDATE_ITEM = changed('updateCollectionItem', 'ItemChange', ITEM);
export const CREATE_POST = made('createPost', 'NewPost', POST);
export const UPDATE_POST = changed('updatePost', 'PostChange', POST);
export const CREATE_AUTHOR = made('createPostAuthor', 'NewAuthor', 'id name version');
export const UPDATE_AUTHOR = changed('updatePostAuthor', 'AuthorChange', 'id name version');
export const CREATE_CATEGORY = made('createPostCategory', 'NewPostCategory', 'id name version');
/** An operation with only an id, such as `publishPage`. */
export const act = (name: string, selection = 'id') => `mutation ($id: ID!) { made: ${name}(id: $id) { ${selection} } }`;

export const PAGES = `query ($siteId: ID!, $status: PublicationFilter = published, $since: String, $perPage: Int = 20, $page: Int = 1) {
  list: pages(siteId: $siteId, status: $status, since: $since, perPage: $perPage, page: $page) {
    nodes { id title path status } removed { id deleted } meta { page perPage total totalPages cursor hasMore }
  }
}`;
export const ITEMS = `query ($siteId: ID!, $collectionId: ID!, $status: PublicationFilter = published, $since: String, $perPage: Int = 20) {
  list: collectionItems(siteId: $siteId, collectionId: $collectionId, status: $status, since: $since, perPage: $perPage) {
    nodes { id slug fields references(status: $status) { slug fields references(status: $status) { slug } } } removed { id }
    meta { total cursor hasMore }
  }
}`;
export const POSTS = `query ($siteId: ID!, $perPage: Int = 20, $since: String) {
  list: posts(siteId: $siteId, perPage: $perPage, since: $since) {
    nodes { id slug author { name } categories { slug } } removed { id } meta { total cursor hasMore }
  }
}`;

/** An organization with a published site, and clients of its owner and of a member. */
export async function openContent(options: Parameters<typeof openSites>[0] = {}) {
  const graph = await openSites(options);
  const acme = await graph.seed();
  const owner = graph.caller(acme.key);
  const user = await acme.addMember('member');
  const member = graph.caller(user.key);
  const make = async (text: string, variables: Record<string, unknown>) => (await owner.ask(text, variables)).made;
  const { id: workspaceId } = await make('mutation { made: createWorkspace(input: { name: "W", slug: "w" }) { id } }', {});
  let sites = 0;
  const createSite = async (): Promise<string> => {
    const slug = `site-${++sites}`;
    const text = 'mutation ($input: NewSite!) { made: createSite(input: $input) { id } }';
    const { id } = await make(text, { input: { workspaceId, name: slug, slug } });
    await make(act('publishSite'), { id });
    return id;
  };
  return { graph, acme, owner, member, user, workspaceId, make, createSite, siteId: await createSite() };
}
