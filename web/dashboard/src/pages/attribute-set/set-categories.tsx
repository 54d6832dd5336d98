import { CloseButton, Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { AttributeSetPageQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note, PageLink } from '../../parts/elements.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';

const FOUND = graphql(
  `query SetCategoryChoices($search: String!) { categories(search: $search, limit: 20) { nodes { id name } } }`,
);
const ASSIGN = graphql(`
  mutation AssignSet($category: String!, $attributeSetId: ID) {
    setCategoryAttributeSet(category: $category, attributeSetId: $attributeSetId) { id attributeSet { id } completeness { percent } }
  }
`);

/** The categories whose products need the attributes of the set, each with its completeness. */
export function SetCategories({ set }: { set: AttributeSetPageQuery['attributeSet'] }) {
  const { attributes, pages, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 300);
  const [{ data }] = useQuery({ query: FOUND, variables: { search } });
  const [{ fetching }, assign] = useMutation(ASSIGN);
  const others = data?.categories.nodes.filter(({ id }) => !set.categories.some((each) => each.id === id)) ?? [];
  return (
    <Section title={pages.categories}>
      <Stack gap="xs">
        <Note>{attributes.categoriesText}</Note>
        {set.categories.map(({ id, name, completeness: { products, percent } }) => (
          <Group key={id} gap="sm" wrap="nowrap">
            <Text flex={1} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {percent != null && (
              <PageLink
                to={`products?category=${encodeURIComponent(name)}&incomplete=100`}
                label={attributes.complete(formats.percent(percent / 100), formats.number(products))}
                size="sm"
              />
            )}
            {isAdmin && (
              <CloseButton
                size="sm"
                aria-label={attributes.removeCategory(name)}
                disabled={fetching}
                onClick={() => assign({ category: name, attributeSetId: null })}
              />
            )}
          </Group>
        ))}
        {isAdmin && (
          <Select
            aria-label={attributes.addCategory}
            placeholder={attributes.addCategory}
            data={others.map(({ name }) => name)}
            value={null}
            searchValue={typed}
            onSearchChange={setTyped}
            onChange={(category) => category && assign({ category, attributeSetId: set.id })}
            searchable
            filter={({ options }) => options}
          />
        )}
      </Stack>
    </Section>
  );
}
