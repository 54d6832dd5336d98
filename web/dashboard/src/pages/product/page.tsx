import { Anchor, Badge, Button, Group, Tabs, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from '../../graph/use-query.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { useUrlState } from '../../parts/use-url-state.ts';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { Details } from './details.tsx';
import { Enrichments, Validations } from './histories.tsx';
import { PRODUCT } from './product.ts';
import { Values } from './values.tsx';

const DEFAULTS = { tab: 'values' };
const CHOICES = { tab: ['values', 'enrichments', 'validations', 'details'] };

/** One product: its values with their origins, its histories, its details. */
export function Page() {
  const { products } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { id = '' } = useParams();
  const [{ tab }, change] = useUrlState(DEFAULTS, CHOICES);
  const query = useQuery({ query: PRODUCT, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ product, attributes }) => (
        <>
          <PageTitle title={product.name}>
            <Button
              component={Link}
              to={address('jobs/new')}
              state={{ productIds: [product.id] }}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
            >
              {products.start}
            </Button>
          </PageTitle>
          <Group gap="sm" mb="md">
            <Badge variant="default">{product.sku}</Badge>
            {product.brand && <Text size="sm">{product.brand}</Text>}
            {product.parent && (
              <Anchor component={Link} to={address(`products/${product.parent.id}`)} size="sm">
                {product.parent.name}
              </Anchor>
            )}
            <Text size="sm" c="dimmed">
              {`${products.updated}: ${formats.ago(product.updatedAt)}`}
            </Text>
          </Group>
          <Tabs value={tab} onChange={(next) => change({ tab: next ?? 'values' })} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="values">{products.values}</Tabs.Tab>
              <Tabs.Tab value="enrichments">{products.enrichmentHistory}</Tabs.Tab>
              <Tabs.Tab value="validations">{products.validationHistory}</Tabs.Tab>
              <Tabs.Tab value="details">{products.details}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="values">
              <Values product={product} attributes={attributes} />
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
