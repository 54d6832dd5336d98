import { query, sql } from '../../common/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { keepImages } from '../enrichment/apply.ts';
import { attributesOf, findProduct, productPrice } from '../enrichment/item.ts';
import { attributesOfJob } from '../jobs/attributes.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { Kind } from '../jobs/kind.ts';
import { compareWithSources } from './compare.ts';
import { overallScore } from './results.ts';
import { compareWithVariants } from './variants.ts';

/** Compare what products say of themselves with their sources as they are now: a parent with its variants. */
export const productValidation: Kind = {
  concurrency: 20,
  finishesInHand: true,
  check: attributesOfJob,
  price: productPrice,

  async process(scope, job, item) {
    const product = await findProduct(scope, item);
    const valued = withValue(product.attributes);
    const attributes = (await attributesOf(scope, job)).filter(({ slug }) => Object.hasOwn(valued, slug));
    if (attributes.length === 0) throw new ItemFailure('Insufficient product data');
    const compare = product.isParent ? compareWithVariants : compareWithSources;
    const { results, images } = await compare(scope, job, product, attributes);
    const score = overallScore(results);
    return {
      item: { validationResults: results, overallScore: score },
      async apply(inner) {
        await writeHistory(inner, { productId: product.id, itemId: item.id, score });
        await keepImages(inner, product.id, images);
      },
    };
  },
};

const withValue = (values: AttributeValues) => Object.fromEntries(Object.entries(values).filter(([, { value }]) => value !== null));

const writeHistory = (
  { em, organizationId }: Scope,
  { productId, itemId, score }: { productId: string; itemId: string; score: number },
) =>
  query(
    em,
    sql`insert into catalog.validation_history (id, organization_id, product_id, job_item_id, overall_score)
        values (gen_random_uuid(), ${organizationId}, ${productId}, ${itemId}, ${score})`,
  );
