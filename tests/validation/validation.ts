import { color, seedCatalog, weight } from '../support/enrichment.ts';

const attributes = [color, weight, { slug: 'washable', name: 'Washable', type: 'boolean' }];

export const value = (attributeType: string, given: unknown) => ({
  attributeId: null,
  attributeName: 'x',
  attributeType,
  value: given,
});

/** An organization with attributes, and validations over REST. */
export async function openValidation(where: { url?: string; databaseUrl?: string; credits?: number } = {}) {
  const catalog = await seedCatalog(attributes, where);
  const rest = async (path: string, body?: object) => {
    const answer = await catalog.api.post(`/api/${catalog.slug}${path}`, body);
    return { status: answer.status, body: answer.body };
  };
  const post = (path: string, body?: object) => rest(`/product-validation-jobs${path}`, body);
  const validate = async (productIds: string[], options: object = {}) => {
    const { body } = await post('/create', { productIds, modelType: 'budget-v1', ...options });
    const job = await catalog.end(body.data.jobId);
    return { job, items: (await post(`/${job.id}/items/get`)).body.data.items };
  };
  const history = async (id: string) => (await rest(`/products/${id}/validation-history`)).body.data.history;
  return { ...catalog, post, validate, history };
}
