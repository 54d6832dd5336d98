import { ScrollArea, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { ProductVariantsQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { PageLink } from '../../parts/elements.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
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
