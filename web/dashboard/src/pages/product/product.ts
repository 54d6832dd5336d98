import { graphql } from '../../graph/graphql.ts';

export const PRODUCT = graphql(`
  query ProductPage($id: ID!) {
    product(id: $id) {
      id name sku brand category manufacturer mpn uom externalId isParent enriched createdAt updatedAt
      userProvidedRawDataSources
      parent { id name }
      variants { id name sku }
      images { id url sourceUrl alt }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl snippet at unit
        job { id kind }
        attribute { id name type options unit }
        decision { verdict decidedAt decidedBy { id name email } }
      }
    }
    attributes(subject: product) { id slug name type options unit isActive }
  }
`);
