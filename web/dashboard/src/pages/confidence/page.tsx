import { Anchor, Breadcrumbs, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { ConfidenceQueryVariables } from '../../../.graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useUrlState } from '../../parts/use-url-state.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Bands } from './bands.tsx';
import { Figures } from './figures.tsx';
import { Groups } from './groups.tsx';
import { ATTRIBUTE_NAMES, CONFIDENCE } from './report.ts';

const DEFAULTS = { attribute: '', tier: '' };

/** How far the confidence of values can be trusted, by attribute and model tier. */
export function Page() {
  const { confidence, jobs, pages } = useStrings();
  const address = useAddress();
  const [{ attribute, tier }, change] = useUrlState(DEFAULTS, { tier: Object.keys(jobs.tiers) });
  const variables = { slug: attribute || null, modelType: (tier || null) as ConfidenceQueryVariables['modelType'] };
  const query = useQuery({ query: CONFIDENCE, variables });
  const names = useAttributeNames();
  const isFiltered = attribute !== '' || tier !== '';
  const known = attribute && !names.has(attribute) ? new Map([...names, [attribute, attribute]]) : names;
  return (
    <>
      <Breadcrumbs mb="xs">
        <Anchor component={Link} to={address('review')} size="sm">
          {pages.review}
        </Anchor>
      </Breadcrumbs>
      <PageTitle title={pages.confidence} />
      <Text size="sm" mb="md" maw="70ch">
        {confidence.text}
      </Text>
      <Group gap="sm" mb="md">
        <Select
          aria-label={confidence.attribute}
          placeholder={confidence.allAttributes}
          data={[...known].map(([value, label]) => ({ value, label }))}
          value={attribute || null}
          onChange={(value) => change({ attribute: value ?? '' })}
          clearable
          clearButtonProps={{ 'aria-label': confidence.allAttributes }}
          searchable
        />
        <Select
          aria-label={confidence.tier}
          placeholder={confidence.allTiers}
          data={Object.entries(jobs.tiers).map(([value, label]) => ({ value, label }))}
          value={tier || null}
          onChange={(value) => change({ tier: value ?? '' })}
          clearable
          clearButtonProps={{ 'aria-label': confidence.allTiers }}
        />
      </Group>
      <Loaded query={query}>
        {({ confidenceReport: report }) =>
          report.count > 0 ? (
            <Stack>
              <Figures report={report} />
              <Section title={confidence.bands}>
                <Bands bands={report.bands} />
              </Section>
              <Section title={confidence.groups}>
                <Groups groups={report.groups} names={names} />
              </Section>
            </Stack>
          ) : isFiltered ? (
            <Empty icon={IconGauge} title={confidence.noMatch} text={confidence.noMatchText}>
              <Button variant="default" onClick={() => change(DEFAULTS)}>
                {confidence.all}
              </Button>
            </Empty>
          ) : (
            <Empty icon={IconGauge} title={confidence.none} text={confidence.noneText}>
              <Button component={Link} to={address('review')}>
                {confidence.review}
              </Button>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

/** The names of all attributes by slug. Attributes of products come first. */
function useAttributeNames(): ReadonlyMap<string, string> {
  const [{ data }] = useQuery({ query: ATTRIBUTE_NAMES, requestPolicy: 'cache-first' });
  const all = data ? [...data.categories, ...data.brands, ...data.products] : [];
  return new Map(all.map(({ slug, name }) => [slug, name]));
}
