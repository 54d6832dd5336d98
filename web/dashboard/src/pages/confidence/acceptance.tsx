import { LineChart } from '@mantine/charts';
import { Code, Group, Slider, Stack, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { AcceptanceQuery, AcceptanceQueryVariables, AcceptanceRulesQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { ShortTable } from '../../parts/data-table.tsx';
import { Action, LinkAction, Note, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { showDone, useConfirm } from '../../parts/overlays.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { OrganizationPrecision, SET_AUTO_ACCEPT } from '../../values/precision.tsx';

const ACCEPTANCE = graphql(`
  query Acceptance($modelType: ModelType!, $precision: Float!) {
    acceptanceReport(modelType: $modelType, precision: $precision) {
      open
      curve { precision accepted remaining }
      attributes { slug open accepted judged isPooled reviewsNeeded }
    }
    acceptanceDefaults { precision auditShare }
  }
`);
const RULES = graphql(`
  query AcceptanceRules {
    acceptanceRules(page: 1, limit: 50) {
      nodes { id slug tier version precision threshold judged right accepted audited auditedRight unjudged isPaused brokenAt brokenSince doubtful }
    }
  }
`);
const UNDO = graphql(
  `mutation UndoAcceptances($ruleIds: [ID!]!, $since: DateTime) { undoAcceptances(ruleIds: $ruleIds, since: $since) { undone hasMore } }`,
);

const START = 0.95;

interface Props {
  tier: AcceptanceQueryVariables['modelType'];
  /** Names of attributes by slug. A deleted attribute has none. */
  names: ReadonlyMap<string, string>;
}

/** How many open values rules would accept at a precision, what is missing, and what the rules did. */
export function Acceptance({ tier, names }: Props) {
  const { confidence } = useStrings();
  const [precision, setPrecision] = useState(START);
  const query = useQuery({ query: ACCEPTANCE, variables: { modelType: tier, precision } });
  const rules = useQuery({ query: RULES });
  return (
    <Stack mb="md">
      <Section title={confidence.accept}>
        <Loaded query={query}>
          {({ acceptanceReport, acceptanceDefaults }) => (
            <Coverage
              report={acceptanceReport}
              defaults={acceptanceDefaults}
              precision={precision}
              onPrecision={setPrecision}
              names={names}
            />
          )}
        </Loaded>
      </Section>
      <Loaded query={rules}>
        {({ acceptanceRules: { nodes } }) => (nodes.length > 0 ? <Rules rules={nodes} names={names} /> : null)}
      </Loaded>
    </Stack>
  );
}

interface CoverageProps extends Pick<Props, 'names'> {
  report: AcceptanceQuery['acceptanceReport'];
  defaults: AcceptanceQuery['acceptanceDefaults'];
  precision: number;
  onPrecision(precision: number): void;
}

function Coverage({ report: { open, curve, attributes }, defaults, precision, onPrecision, names }: CoverageProps) {
  const { confidence, pages, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const [set] = useAction(SET_AUTO_ACCEPT, {
    done: ({ setAutoAcceptDefault: { precision: wanted } }) =>
      wanted == null ? confidence.switchedOff : confidence.switchedOn(formats.precisePercent(wanted)),
  });
  const [chosen, setChosen] = useState(precision);
  const at = Math.max(
    0,
    curve.findIndex((point) => point.precision === chosen),
  );
  const point = curve[at]!;
  const share = (accepted: number) => (open > 0 ? accepted / open : 0);
  const save = (wanted: number | null) => set({ input: { precision: wanted } });
  const rows = attributes.map((each) => ({ ...each, id: each.slug }));
  return (
    <Stack>
      <Note maw="70ch">{confidence.acceptText}</Note>
      <div aria-hidden>
        <LineChart
          h={180}
          data={curve.map((each) => ({ name: formats.percent(each.precision), covered: 100 * share(each.accepted) }))}
          dataKey="name"
          series={[{ name: 'covered', label: confidence.covered, color: 'teal.6' }]}
          valueFormatter={(value) => formats.percent(value / 100)}
          yAxisProps={{ domain: [0, 100] }}
          curveType="stepAfter"
          lineProps={{ isAnimationActive: false }}
          lineChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <Text fw={500} id="accept-precision">
        {confidence.wanted}
      </Text>
      <Slider
        aria-labelledby="accept-precision"
        thumbProps={{ 'aria-labelledby': 'accept-precision' }}
        min={0}
        max={curve.length - 1}
        value={at}
        label={formats.precisePercent(point.precision)}
        onChange={(index) => setChosen(curve[index]!.precision)}
        onChangeEnd={(index) => onPrecision(curve[index]!.precision)}
      />
      <Text size="md" role="status">
        {confidence.wouldAccept(
          formats.precisePercent(point.precision),
          formats.percent(share(point.accepted)),
          point.remaining,
          formats.number(point.remaining),
        )}
      </Text>
      <Group>
        <Note>
          {defaults.precision === null || defaults.precision === undefined
            ? confidence.isOff
            : confidence.isOn(formats.precisePercent(defaults.precision), formats.precisePercent(defaults.auditShare))}
        </Note>
        {isAdmin && (
          <Action
            label={confidence.switchOn(formats.precisePercent(point.precision))}
            size="xs"
            onClick={() => save(point.precision)}
          />
        )}
        {open > 0 && <LinkAction label={confidence.teach} size="xs" to="review?order=learning" variant="subtle" />}
        {isAdmin && typeof defaults.precision === 'number' && (
          <SmallAction label={confidence.switchOff} onClick={() => save(null)} />
        )}
      </Group>
      {isAdmin && <OrganizationPrecision key={`${defaults.precision} ${defaults.auditShare}`} defaults={defaults} />}
      {rows.length > 0 && (
        <ShortTable
          label={confidence.missing}
          rows={rows}
          columns={[
            { key: 'attribute', title: pages.attribute, cell: ({ slug }) => names.get(slug) ?? <Code>{slug}</Code> },
            { key: 'open', title: confidence.open, align: 'right', cell: (row) => formats.number(row.open) },
            { key: 'covered', title: confidence.covered, align: 'right', cell: (row) => formats.number(row.accepted) },
            { key: 'judged', title: confidence.count, align: 'right', from: 'sm', cell: ({ judged }) => formats.number(judged) },
            {
              key: 'missing',
              title: confidence.missing,
              align: 'right',
              cell: ({ slug, reviewsNeeded, isPooled, open: waiting }) => {
                if (reviewsNeeded === 0) return isPooled ? confidence.pooled : '–';
                if (typeof reviewsNeeded !== 'number') return confidence.tooWrong;
                if (waiting === 0) return formats.number(reviewsNeeded);
                return (
                  <PageLink
                    to={`review?order=learning&attribute=${encodeURIComponent(slug)}`}
                    label={formats.number(reviewsNeeded)}
                    title={confidence.reviewMissing(names.get(slug) ?? slug, formats.number(reviewsNeeded))}
                  />
                );
              },
            },
          ]}
        />
      )}
    </Stack>
  );
}

type Rule = AcceptanceRulesQuery['acceptanceRules']['nodes'][number];

const lineOf = ({ slug, tier, precision }: Rule) => JSON.stringify([slug, tier, precision]);

/** The versions of all rules with their measured precision, and an undo for each. */
function Rules({ rules, names }: Pick<Props, 'names'> & { rules: readonly Rule[] }) {
  const { confidence, jobs, pages, terms, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const confirm = useConfirm();
  const [, undo] = useMutation(UNDO);
  const nameOf = ({ slug }: Rule) => (slug == null ? confidence.pool : (names.get(slug) ?? slug));
  const latest = new Set([...Map.groupBy(rules, lineOf).values()].map(([first]) => first));
  const isLatest = (rule: Rule) => latest.has(rule);
  async function askToUndo(rule: Rule) {
    const isDoubtful = rule.doubtful > 0;
    const count = isDoubtful ? rule.doubtful : rule.accepted;
    const text = confidence.undoText(count, formats.number(count));
    if (!(await confirm({ title: confidence.undoTitle(nameOf(rule)), text, action: confidence.undo }))) return;
    let undone = 0;
    for (let hasMore = true; hasMore; ) {
      const { data } = await undo({ ruleIds: [rule.id], since: isDoubtful ? rule.brokenSince : null });
      if (!data) return;
      undone += data.undoAcceptances.undone;
      hasMore = data.undoAcceptances.hasMore;
    }
    showDone(confidence.undone(undone, formats.number(undone)));
  }
  return (
    <Section title={confidence.rules}>
      <ShortTable
        label={confidence.rules}
        rows={[...rules]}
        columns={[
          {
            key: 'attribute',
            title: pages.attribute,
            cell: (rule) => (
              <Group gap="xs">
                {nameOf(rule)}
                {rule.brokenAt && (
                  <Tag label={confidence.broken} color="red" title={confidence.brokenText(formats.time(rule.brokenAt))} />
                )}
                {rule.isPaused && isLatest(rule) && (
                  <Tag label={confidence.paused} color="orange" title={confidence.pausedText(formats.number(rule.unjudged))} />
                )}
              </Group>
            ),
          },
          { key: 'tier', title: terms.model, from: 'md', cell: ({ tier }) => jobs.tiers[tier] },
          {
            key: 'wanted',
            title: confidence.wanted,
            align: 'right',
            from: 'sm',
            cell: ({ precision }) => formats.precisePercent(precision),
          },
          {
            key: 'audited',
            title: confidence.measured,
            align: 'right',
            cell: (rule) => (
              <>
                {rule.audited > 0
                  ? confidence.audited(formats.precisePercent(rule.auditedRight / rule.audited), formats.number(rule.audited))
                  : '–'}
                {rule.unjudged > 0 && isLatest(rule) && <Note>{confidence.unjudged(formats.number(rule.unjudged))}</Note>}
              </>
            ),
          },
          { key: 'accepted', title: confidence.accepted, align: 'right', cell: ({ accepted }) => formats.number(accepted) },
          {
            key: 'undo',
            title: '',
            align: 'right',
            cell: (rule) =>
              isAdmin &&
              rule.accepted > 0 && (
                <SmallAction
                  label={rule.doubtful > 0 ? confidence.reviewDoubtful(formats.number(rule.doubtful)) : confidence.undo}
                  of={nameOf(rule)}
                  icon={IconArrowBackUp}
                  onClick={() => askToUndo(rule)}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}
