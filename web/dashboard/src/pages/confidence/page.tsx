import { Anchor, Breadcrumbs, Code, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { ConfidenceQuery, ConfidenceQueryVariables } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Loaded, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { ShortTable } from '../../parts/data-table.tsx';
import { Action, LinkAction, Note, PageLink } from '../../parts/elements.tsx';
import { Acceptance } from './acceptance.tsx';

const DEFAULTS = { attribute: '', tier: '' };

/** How far the confidence of values can be trusted, by attribute and model tier. */
export function Page() {
  const { confidence, jobs, pages, terms, actions } = useStrings();
  const [{ attribute, tier }, change, bind] = useUrlState(DEFAULTS, { tier: Object.keys(jobs.tiers) });
  const variables = { slug: attribute || null, modelType: (tier || null) as ConfidenceQueryVariables['modelType'] };
  const query = useQuery({ query: CONFIDENCE, variables });
  const names = useAttributeNames();
  const isFiltered = attribute !== '' || tier !== '';
  const known = attribute && !names.has(attribute) ? new Map([...names, [attribute, attribute]]) : names;
  return (
    <>
      <Breadcrumbs mb="xs">
        <PageLink to="review" label={pages.review} />
      </Breadcrumbs>
      <PageTitle title={pages.confidence} />
      <Text mb="md" maw="70ch">
        {confidence.text}
      </Text>
      <Group gap="sm" mb="md">
        <OptionalChoice {...bind('attribute')} aria-label={pages.attribute} none={terms.allAttributes} labels={known} searchable />
        <OptionalChoice {...bind('tier')} aria-label={terms.model} none={confidence.allTiers} labels={jobs.tiers} />
      </Group>
      <Acceptance tier={variables.modelType ?? 'budget-v1'} names={names} />
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
            <Empty
              icon={IconGauge}
              title={confidence.noMatch}
              text={confidence.noMatchText}
              action={<Action label={actions.showAll} variant="default" onClick={() => change(DEFAULTS)} />}
            />
          ) : (
            <Empty
              icon={IconGauge}
              title={confidence.none}
              text={confidence.noneText}
              action={<LinkAction label={confidence.review} to="review" />}
            />
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

const CONFIDENCE = graphql(`
  query Confidence($slug: String, $modelType: ModelType) {
    confidenceReport(slug: $slug, modelType: $modelType) {
      count calibrationError statedCalibrationError
      bands { from count right confidence statedConfidence }
      groups { slug modelType count right confidence statedConfidence calibrationError statedCalibrationError }
    }
  }
`);
const ATTRIBUTE_NAMES = graphql(`
  query ConfidenceAttributes {
    products: attributes(subject: product) { id slug name }
    brands: attributes(subject: brand) { id slug name }
    categories: attributes(subject: category) { id slug name }
  }
`);

type Report = ConfidenceQuery['confidenceReport'];

/** The number of judged values, and the calibration error before and after calibration. */
function Figures({ report }: { report: Report }) {
  const { confidence, formats } = useStrings();
  const points = (error?: number | null) => (typeof error === 'number' ? confidence.points(formats.points(error)) : '–');
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure label={confidence.count} value={formats.number(report.count)} />
        <Figure label={confidence.statedError} value={points(report.statedCalibrationError)} />
        <Figure label={confidence.calibratedError} value={points(report.calibrationError)} />
      </SimpleGrid>
      <Note size="xs" mt={-8}>
        {confidence.errorText}
      </Note>
    </>
  );
}

const Figure = ({ label, value }: { label: string; value: string }) => (
  <Paper withBorder p="sm">
    <Note size="xs">{label}</Note>
    <Text size="xl" fw={650}>
      {value}
    </Text>
  </Paper>
);

/** The calibrated confidence beside the share of right values, by band of confidence. */
function Bands({ bands }: { bands: Report['bands'] }) {
  const { confidence, terms, formats } = useStrings();
  const percent = (value: number) => formats.percent(value / 100);
  const rows = bands.map((band) => ({
    ...band,
    id: String(band.from),
    name: confidence.range(percent(band.from), percent(band.from + 10)),
  }));
  // A band without values leaves a gap in the chart.
  const all = Array.from({ length: 10 }, (_, at) => {
    const { confidence: calibrated, right } = bands.find(({ from }) => from === at * 10) ?? {};
    return { name: percent(at * 10), calibrated, right };
  });
  return (
    <Stack>
      <div aria-hidden>
        <BarChart
          h={200}
          data={all}
          dataKey="name"
          withLegend
          series={[
            { name: 'calibrated', label: confidence.calibrated, color: 'indigo.6' },
            { name: 'right', label: confidence.right, color: 'teal.6' },
          ]}
          valueFormatter={percent}
          yAxisProps={{ domain: [0, 100] }}
          gridAxis="x"
          barProps={{ isAnimationActive: false, maxBarSize: 40 }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <ShortTable
        label={confidence.bands}
        rows={rows}
        columns={[
          { key: 'band', title: terms.confidence, cell: ({ name }) => name },
          { key: 'count', title: confidence.count, align: 'right', from: 'xs', cell: ({ count }) => formats.number(count) },
          { key: 'stated', title: confidence.stated, align: 'right', from: 'sm', cell: (band) => percent(band.statedConfidence) },
          { key: 'calibrated', title: confidence.calibrated, align: 'right', cell: (band) => percent(band.confidence) },
          { key: 'right', title: confidence.right, align: 'right', cell: ({ right }) => percent(right) },
        ]}
      />
    </Stack>
  );
}

interface Props {
  groups: Report['groups'];
  /** Names of attributes by slug. A deleted attribute has none. */
  names: ReadonlyMap<string, string>;
}

/** Each attribute and model tier with its share of right values. A link shows the bands of one. */
function Groups({ groups, names }: Props) {
  const { confidence, jobs, pages, terms, formats } = useStrings();
  const percent = (value: number) => formats.percent(value / 100);
  const rows = groups.map((group) => ({ ...group, id: `${group.modelType} ${group.slug}` }));
  return (
    <ShortTable
      label={confidence.groups}
      rows={rows}
      columns={[
        {
          key: 'attribute',
          title: pages.attribute,
          cell: ({ slug, modelType }) => (
            <Anchor component={Link} to={`?attribute=${encodeURIComponent(slug)}&tier=${modelType}`}>
              {names.get(slug) ?? <Code>{slug}</Code>}
            </Anchor>
          ),
        },
        { key: 'tier', title: terms.model, from: 'sm', cell: ({ modelType }) => jobs.tiers[modelType] },
        { key: 'count', title: confidence.count, align: 'right', from: 'md', cell: ({ count }) => formats.number(count) },
        { key: 'stated', title: confidence.stated, align: 'right', from: 'md', cell: (group) => percent(group.statedConfidence) },
        { key: 'calibrated', title: confidence.calibrated, align: 'right', from: 'xs', cell: (group) => percent(group.confidence) },
        { key: 'right', title: confidence.right, align: 'right', cell: ({ right }) => percent(right) },
        {
          key: 'error',
          title: terms.error,
          align: 'right',
          cell: (group) => confidence.change(formats.points(group.statedCalibrationError), formats.points(group.calibrationError)),
        },
      ]}
    />
  );
}
