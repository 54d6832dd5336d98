import { Anchor, Progress, Table } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { useIsWide } from '../../parts/data-table.tsx';
import { LinkAction, Note } from '../../parts/elements.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

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
                      {/^https?:\/\//i.test(link) ? (
                        <Anchor href={link} target="_blank" rel="noopener noreferrer">
                          {source}
                        </Anchor>
                      ) : (
                        source
                      )}
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
