import { Anchor, Breadcrumbs, Group, Select, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { graphql, useAction, useQuery } from '../graph/graph-hooks.ts';
import { Note, PageLink } from '../parts/elements.tsx';
import { Loaded, Section } from '../parts/page-frame.tsx';
import { useAddress, useOrganization } from '../session/organization-choice.tsx';
import { useStrings } from '../strings/strings.tsx';
import { leafOf } from './label-subject.ts';

const PLACE = graphql(`query CategoryPlace($id: ID!) { category(id: $id) { id ancestors { id name } } }`);

/** The path to a category, from the top. */
export function CategoryPlace({ id }: { id: string }) {
  const { labels, pages } = useStrings();
  const address = useAddress();
  const [{ data }] = useQuery({ query: PLACE, variables: { id } });
  return (
    <Breadcrumbs component="nav" aria-label={labels.path} mb="xs" style={{ flexWrap: 'wrap' }}>
      <Anchor component={Link} to={address('categories?show=top')}>
        {pages.categories}
      </Anchor>
      {data?.category.ancestors.map(({ id: above, name }) => (
        <PageLink key={above} to={`categories/${above}`} label={leafOf(name)} />
      ))}
    </Breadcrumbs>
  );
}

const SET = graphql(`
  query CategorySet($id: ID!) {
    category(id: $id) {
      id
      completeness { products complete percent requiredPercent }
      attributeSet { id name attributeSetAttributes { order required attribute { id name } } }
    }
    attributeSets(subject: product) { id name }
  }
`);
const ASSIGN = graphql(`
  mutation AssignCategorySet($category: String!, $attributeSetId: ID) {
    setCategoryAttributeSet(category: $category, attributeSetId: $attributeSetId) { id attributeSet { id } completeness { percent } }
  }
`);

/** The attributes that products of a category need, and how complete they are. */
export function CategorySet({ id, name }: { id: string; name: string }) {
  const { labels, attributes, terms, home, pages, newJob, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const query = useQuery({ query: SET, variables: { id } });
  const [assign, loading] = useAction(ASSIGN, { done: terms.saved });
  return (
    <Loaded query={query}>
      {({ category: { completeness, attributeSet }, attributeSets }) => (
        <Stack maw={760}>
          <Section title={home.completeness}>
            {completeness.percent == null ? (
              <Note>{labels.noCompleteness}</Note>
            ) : (
              <Stack gap={4}>
                <Text>
                  {labels.complete(
                    formats.percent(completeness.percent / 100),
                    formats.number(completeness.complete),
                    formats.number(completeness.products),
                  )}
                </Text>
                {completeness.requiredPercent != null && (
                  <Text>{labels.requiredComplete(formats.percent(completeness.requiredPercent / 100))}</Text>
                )}
                <Group>
                  <PageLink to={`products?category=${encodeURIComponent(name)}&incomplete=100`} label={labels.incompleteProducts} />
                </Group>
              </Stack>
            )}
          </Section>
          <Section title={pages.attributeSet}>
            <Stack gap="xs">
              <Select
                label={labels.chooseSet}
                description={labels.setText}
                placeholder={newJob.allAttributes}
                data={attributeSets.map((each) => ({ value: each.id, label: each.name }))}
                value={attributeSet?.id ?? null}
                onChange={(attributeSetId) => assign({ category: name, attributeSetId })}
                disabled={!isAdmin || loading}
                clearable
                searchable
              />
              {attributeSet && (
                <>
                  <Text>
                    {attributeSet.attributeSetAttributes
                      .map(({ attribute, required }) => (required ? labels.requiredAttribute(attribute.name) : attribute.name))
                      .join(', ')}
                  </Text>
                  <Group>
                    <PageLink to={`attributes/sets/${attributeSet.id}`} label={attributes.sets} />
                  </Group>
                </>
              )}
            </Stack>
          </Section>
        </Stack>
      )}
    </Loaded>
  );
}
