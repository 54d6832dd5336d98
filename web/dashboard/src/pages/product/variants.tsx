import { Progress, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProductVariantsQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { useIsWide } from '../../parts/data-table.tsx';
import { LinkAction, Note, PageLink, WebLink } from '../../parts/elements.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';

const VARIANTS = graphql(`query ProductVariants($id: ID!) { product(id: $id) { id variants { id name sku attributes } } }`);
type Variant = ProductVariantsQuery['product']['variants'][number];

/** Rows of a page, and columns of the table. */
const [PAGE, MAX_COLUMNS] = [50, 12];
/** Long texts say little in a column. */
const MAX_LENGTH = 80;

/** The variants of a parent, with a column for each value in which they differ. */
export function Variants({ productId }: { productId: string }) {
  const query = useQuery({ query: VARIANTS, variables: { id: productId } });
  return <Loaded query={query}>{({ product }) => <Compared variants={product.variants} />}</Loaded>;
}

function Compared({ variants }: { variants: readonly Variant[] }) {
  const strings = useStrings();
  const { products } = strings;
  const definitions = useDefinitions();
  const [page, setPage] = useState(1);
  const columns = differing(variants);
  const nameOf = (slug: string) =>
    definitions.get(slug)?.name ?? variants.find(({ attributes }) => attributes[slug])?.attributes[slug]?.attributeName ?? slug;
  return (
    <Stack>
      <Text>{columns.length > 0 ? products.differences : products.noDifferences}</Text>
      <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': products.variants }}>
        <Table aria-label={products.variants} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{products.name}</Table.Th>
              <Table.Th>{products.sku}</Table.Th>
              {columns.map((slug) => (
                <Table.Th key={slug}>{nameOf(slug)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.slice((page - 1) * PAGE, page * PAGE).map(({ id, name, sku, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <PageLink to={`products/${id}`} label={name} />
                </Table.Td>
                <Table.Td>{sku}</Table.Td>
                {columns.map((slug) => (
                  <Table.Td key={slug}>
                    {formatValue(
                      attributes[slug]?.value,
                      attributes[slug]?.attributeType ?? 'text',
                      strings,
                      definitions.get(slug),
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      <PageChoice page={page} totalPages={Math.ceil(variants.length / PAGE)} onPage={setPage} />
    </Stack>
  );
}

/** The attributes in which variants differ, those that most variants have first. */
function differing(variants: readonly Variant[]): string[] {
  const slugs = [...new Set(variants.flatMap(({ attributes }) => Object.keys(attributes)))];
  return slugs
    .map((slug) => ({ slug, texts: variants.map(({ attributes }) => JSON.stringify(attributes[slug]?.value ?? null)) }))
    .filter(({ texts }) => new Set(texts).size > 1 && texts.every(({ length }) => length <= MAX_LENGTH))
    .sort((one, other) => countOf(other.texts) - countOf(one.texts))
    .slice(0, MAX_COLUMNS)
    .map(({ slug }) => slug);
}

const countOf = (texts: readonly string[]) => texts.filter((text) => text !== 'null').length;

const OFFERS = graphql(`
  query ProductOffers($id: ID!) {
    product(id: $id) {
      id
      marketAnalysis { id completedAt results { id source price originalPrice currency availability link } }
    }
  }
`);

/** The offers of shops that the newest market analysis found, cheapest first, each with a bar for its price. */
export function Offers({ productId }: { productId: string }) {
  const { jobs, products, terms, formats } = useStrings();
  const isWide = useIsWide();
  const query = useQuery({ query: OFFERS, variables: { id: productId } });
  const start = (
    <LinkAction label={products.analyze} to="jobs/new?kind=product-market-analysis" state={{ productIds: [productId] }} />
  );
  return (
    <Loaded query={query}>
      {({ product: { marketAnalysis } }) => {
        if (!marketAnalysis || marketAnalysis.results.length === 0)
          return <Empty icon={IconBuildingStore} title={products.noOffers} text={products.noOffersText} action={start} />;
        const offers = [...marketAnalysis.results].sort((one, other) => one.price - other.price);
        // Prices in other currencies have no common scale.
        const scale = new Set(offers.map(({ currency }) => currency)).size === 1 ? offers.at(-1)!.price : 0;
        return (
          <>
            {marketAnalysis.completedAt && <Note mb="sm">{products.offersOf(formats.time(marketAnalysis.completedAt))}</Note>}
            <Table aria-label={terms.offers} verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{products.shop}</Table.Th>
                  <Table.Th ta="right">{products.price}</Table.Th>
                  {isWide && scale > 0 && <Table.Th aria-hidden w="40%" />}
                  <Table.Th>{products.availability}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {offers.map(({ id, source, price, originalPrice, currency, link, availability }, at) => (
                  <Table.Tr key={id}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      <WebLink url={link} label={source} />
                    </Table.Td>
                    <Table.Td ta="right">
                      {formats.money(price, currency)}
                      {typeof originalPrice === 'number' && (
                        <Note size="xs">{products.before(formats.money(originalPrice, currency))}</Note>
                      )}
                    </Table.Td>
                    {isWide && scale > 0 && (
                      <Table.Td aria-hidden>
                        <Progress value={(price / scale) * 100} size="lg" color={at === 0 ? 'teal.7' : 'indigo.5'} />
                      </Table.Td>
                    )}
                    <Table.Td>{jobs.availabilities[availability]}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </>
        );
      }}
    </Loaded>
  );
}
