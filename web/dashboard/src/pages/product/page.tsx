import { Badge, Group, Tabs, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, PageLink } from '../../parts/elements.tsx';
import { LoadedPage, PageTitle } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { ProductMenu } from '../../products/product-editing.tsx';
import { useAddress } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Details } from './details.tsx';
import { Enrichments, Validations } from './histories.tsx';
import { Offers } from './offers.tsx';
import { Pictures } from './pictures.tsx';
import { Values } from './values.tsx';
import { Variants } from './variants.tsx';

const PRODUCT = graphql(`
  query ProductPage($id: ID!) {
    product(id: $id) {
      id name sku brand category manufacturer mpn uom externalId isParent enriched archived createdAt updatedAt
      userProvidedRawDataSources
      completeness { percent requiredPercent missing { id } }
      categorySummary { id attributeSet { id } }
      parent { id name }
      variants { id }
      images { id url sourceUrl alt }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl sourceTitle snippet at unit
        cell { file row column }
        job { id kind }
        acceptedBy { precision }
        decision { verdict decidedAt decidedBy { id name email } }
      }
    }
    attributeSets(subject: product) { id name attributeSetAttributes { required attribute { id slug } } }
  }
`);

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'variants', 'offers', 'enrichments', 'validations', 'details'] };

/** One product: its pictures, its values with their origins, its variants and offers, its histories, its details. */
export function Page() {
  const { products, productEdits, jobs, terms, formats } = useStrings();
  const address = useAddress();
  const { id = '' } = useParams();
  const [{ tab }, change] = useUrlState(DEFAULTS, CHOICES);
  const query = useQuery({ query: PRODUCT, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ product, attributeSets }) => (
        <>
          <PageTitle title={product.name}>
            <Action
              label={jobs.start}
              component={Link}
              to={address('jobs/new')}
              state={{ productIds: [product.id] }}
              icon={IconPlayerPlay}
            />
            <ProductMenu product={product} />
          </PageTitle>
          <Group gap="sm" mb="md">
            <Badge variant="default">{product.sku}</Badge>
            {product.completeness.percent != null && (
              <Badge variant="light" color={product.completeness.missing.length === 0 ? 'teal' : 'gray'}>
                {`${products.completeness}: ${formats.percent(product.completeness.percent / 100)}`}
              </Badge>
            )}
            {product.archived && <Badge color="orange">{productEdits.archived}</Badge>}
            {product.brand && <Text>{product.brand}</Text>}
            {product.parent && <PageLink to={`products/${product.parent.id}`} label={product.parent.name} />}
            <Note>{`${terms.changed}: ${formats.ago(product.updatedAt)}`}</Note>
          </Group>
          <Pictures images={product.images} />
          <Tabs value={tab} onChange={(next) => change({ tab: next ?? 'values' })} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="values">{terms.values}</Tabs.Tab>
              {product.variants.length > 0 && <Tabs.Tab value="variants">{products.variants}</Tabs.Tab>}
              <Tabs.Tab value="offers">{terms.offers}</Tabs.Tab>
              <Tabs.Tab value="enrichments">{terms.enrichments}</Tabs.Tab>
              <Tabs.Tab value="validations">{products.validationHistory}</Tabs.Tab>
              <Tabs.Tab value="details">{products.details}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="values">
              <Values product={product} sets={attributeSets} />
            </Tabs.Panel>
            <Tabs.Panel value="variants">
              <Variants productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="offers">
              <Offers productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="enrichments">
              <Enrichments productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="validations">
              <Validations productId={product.id} />
            </Tabs.Panel>
            <Tabs.Panel value="details">
              <Details key={product.id} product={product} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </LoadedPage>
  );
}
