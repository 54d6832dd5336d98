import { Alert, Checkbox, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useInterval } from '@mantine/hooks';
import { IconPlus, IconRepeat } from '@tabler/icons-react';
import { useState } from 'react';
import type { CreateGapRuleMutationVariables, GapRulesQuery, GapSelection } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { AttributeSetField, EstimateNote, TierField } from '../../jobs/job-fields.tsx';
import { isOpen, JobStatusBadge, jobPath } from '../../jobs/job-state.tsx';
import { useJobsChanged } from '../../layout/overview.tsx';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { Choice, FormDialog, NumberField, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Loaded, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { isPrecision, PrecisionField } from '../../values/precision.tsx';

const RUN = graphql(`mutation RunGapRule($id: ID!) { runGapRule(id: $id) { id isScanning } }`);
const PAUSE = graphql(
  `mutation PauseGapRule($id: ID!, $paused: Boolean!) { pauseGapRule(id: $id, paused: $paused) { id paused haltedBy } }`,
);
const DELETE = graphql(`mutation DeleteGapRule($id: ID!) { deleteGapRule(id: $id) { id } }`);

type Run = Rule['runs'][number] & { id: string };

/** The rules that fill gaps by themselves, with their jobs, costs, and gaps before and after. */
export function Page() {
  const { gapRules: words, pages } = useStrings();
  const query = useQuery({ query: RULES });
  useJobsChanged(() => query[1]());
  // Checks without a job are no events.
  useInterval(() => query[1]({ requestPolicy: 'network-only' }), 30_000, { autoInvoke: true });
  const [edited, setEdited] = useState<Rule | 'new' | null>(null);
  return (
    <Stack>
      <PageTitle title={pages.gapRules}>
        <Action label={words.create} onClick={() => setEdited('new')} icon={IconPlus} />
      </PageTitle>
      <Note maw="80ch">{words.text}</Note>
      <Loaded query={query}>
        {({ gapRules }) =>
          gapRules.length === 0 ? (
            <Empty icon={IconRepeat} title={words.empty} text="" />
          ) : (
            gapRules.map((rule) => <RuleSection key={rule.id} rule={rule} onEdit={() => setEdited(rule)} />)
          )
        }
      </Loaded>
      {edited && <RuleEditor rule={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

function RuleSection({ rule, onEdit }: { rule: Rule; onEdit(): void }) {
  const { gapRules: words, jobs, actions, formats } = useStrings();
  const run = useButton(RUN, { done: words.running });
  const pause = useButton(PAUSE);
  const remove = useButton(DELETE, {
    ask: { title: words.deleteTitle(rule.name), text: words.deleteText, action: actions.delete },
    done: words.deleted,
  });
  const { id, name, paused, haltedBy, selection, triggers, checkedAt, runs } = rule;
  const { parents = 'all', attributes } = selection;
  const conditions = [
    ...[selection.words, selection.brand, selection.category, parents !== 'all' && parents && words.parentChoices[parents]],
    ...(attributes ?? []).map(({ slug, value }) => `${slug}: ${value}`),
  ];
  const facts = [
    conditions.filter(Boolean).join(' · ') || words.all,
    jobs.tiers[rule.modelType],
    ...triggers.map((trigger) => words.triggerNames[trigger]),
  ];
  return (
    <Section
      title={name}
      actions={
        <Group gap="xs">
          <RuleState rule={rule} />
          {!paused && <SmallAction label={words.run} of={name} {...run({ id })} />}
          <SmallAction label={paused ? actions.continue : words.pause} of={name} {...pause({ id, paused: !paused })} />
          <SmallAction label={actions.edit} of={name} onClick={onEdit} />
          <SmallAction label={actions.delete} of={name} variant="subtle" color="red" {...remove({ id })} />
        </Group>
      }
    >
      <Stack gap="xs">
        {haltedBy && <Alert color="yellow">{words.halts[haltedBy]}</Alert>}
        <Text>{facts.join(' — ')}</Text>
        <Note>
          {words.spent(formats.credits(rule.spent), formats.credits(rule.maxCredits))}
          {' — '}
          {checkedAt ? words.checked(formats.ago(checkedAt)) : words.unchecked}
        </Note>
        {runs.length > 0 ? <Runs name={name} runs={runs} /> : <Note>{words.noJobs}</Note>}
      </Stack>
    </Section>
  );
}

function RuleState({ rule: { paused, haltedBy, isScanning, runs } }: { rule: Rule }) {
  const { gapRules: words } = useStrings();
  if (paused) return <Tag label={words.paused} color="yellow" />;
  const open = runs.find(({ job }) => isOpen(job));
  if (open) return open.job.paused ? <Tag label={words.jobPaused} color="yellow" /> : <Tag label={words.working} color="blue" />;
  return <Tag label={isScanning && !haltedBy ? words.checking : words.waiting} color="gray" />;
}

function Runs({ name, runs }: { name: string; runs: Rule['runs'] }) {
  const { gapRules: words, pages, formats } = useStrings();
  const columns: Column<Run>[] = [
    { key: 'job', title: words.job, cell: ({ job }) => <PageLink to={jobPath(job)} label={formats.ago(job.createdAt)} /> },
    { key: 'status', title: '', cell: ({ job }) => <JobStatusBadge job={job} /> },
    { key: 'count', title: pages.products, align: 'right', from: 'sm', cell: ({ job }) => formats.number(job.totalCount) },
    { key: 'gaps', title: words.gaps, align: 'right', cell: ({ gaps }) => formats.number(gaps) },
    { key: 'left', title: words.left, align: 'right', cell: ({ gapsLeft }) => (gapsLeft == null ? '–' : formats.number(gapsLeft)) },
    { key: 'cost', title: words.cost, align: 'right', from: 'sm', cell: ({ job }) => formats.credits(job.cost) },
  ];
  return <ShortTable label={words.jobs(name)} columns={columns} rows={runs.map((each) => ({ ...each, id: each.job.id }))} />;
}

const CREATE = graphql(`mutation CreateGapRule($input: GapRuleInput!) { createGapRule(input: $input) { id } }`);
const UPDATE = graphql(
  `mutation UpdateGapRule($id: ID!, $input: GapRuleInput!) { updateGapRule(id: $id, input: $input) { id paused } }`,
);
const ATTRIBUTES = graphql(`query GapAttributes { attributes(subject: product) { id name isActive } }`);
const ESTIMATE = graphql(`
  query GapEstimate($input: GapRuleInput!) {
    gapEstimate(input: $input) { products gaps credits checked isComplete }
    organization { id credits }
  }
`);

type Input = CreateGapRuleMutationVariables['input'];

const TRIGGERS = ['product-changed', 'attributes-changed', 'nightly'] as const;

const valuesOf = (rule?: Rule) => ({
  name: rule?.name ?? '',
  words: rule?.selection.words ?? '',
  brand: rule?.selection.brand ?? '',
  category: rule?.selection.category ?? '',
  parents: rule?.selection.parents ?? 'all',
  attributeSetId: rule?.attributeSetId ?? null,
  attributeIds: [...(rule?.attributeIds ?? [])],
  modelType: rule?.modelType ?? 'budget-v1',
  websearch: rule?.websearch ?? true,
  agreement: rule?.agreement ?? false,
  precision: rule?.autoAccept ?? null,
  maxCredits: (rule?.maxCredits ?? 100) as number | null,
  triggers: [...(rule?.triggers ?? TRIGGERS)],
});
type Values = ReturnType<typeof valuesOf>;

/**
 * Conditions on values, which only the API chooses, stay. Attributes that were deleted are dropped, unless none is left: without any, the rule
 * would fill in all attributes.
 */
function inputOf(values: Values, rule?: Rule, attributes: readonly { id: string }[] = []): Input {
  const { words, brand, category, parents, attributeIds, precision, maxCredits, agreement, modelType, ...rest } = values;
  const text = (typed: string) => typed.trim() || null;
  const existing = attributeIds.filter((id) => attributes.some((each) => each.id === id));
  const chosen = existing.length > 0 ? existing : attributeIds;
  return {
    ...rest,
    name: values.name.trim() || '-',
    selection: {
      words: text(words),
      brand: text(brand),
      category: text(category),
      parents,
      attributes: rule?.selection.attributes ?? null,
    },
    attributeIds: chosen.length > 0 ? chosen : null,
    modelType,
    agreement: agreement && modelType === 'pro-v1',
    autoAccept: precision === null ? null : { precision },
    maxCredits: maxCredits ?? 1,
  };
}

/** Creates or changes a rule, and shows how much it would read now. */
function RuleEditor({ rule, onClose }: { rule?: Rule; onClose(): void }) {
  const { actions, confidence, gapRules: words, newJob, terms, pages } = useStrings();
  const [create] = useAction(CREATE, { done: words.saved, after: onClose });
  const [update] = useAction(UPDATE, {
    done: ({ updateGapRule }) => (updateGapRule.paused ? words.savedPaused : words.saved),
    after: onClose,
  });
  const [{ data }] = useQuery({ query: ATTRIBUTES });
  const form = useClosingForm({
    initialValues: valuesOf(rule),
    required: ['name'],
    validate: {
      precision: (precision) => (isPrecision(precision) ? null : newJob.wrongPrecision),
      maxCredits: (credits) => (credits !== null && credits >= 1 ? null : words.noCredits),
      triggers: (triggers) => (triggers.length > 0 ? null : words.noTrigger),
    },
  });
  const { values, field, check, getInputProps } = form;
  const attributes = data?.attributes.filter(({ isActive }) => isActive) ?? [];
  const submit = async (given: Values) => {
    const input = inputOf(given, rule, data?.attributes);
    await (rule ? update({ id: rule.id, input }) : create({ input }));
  };
  return (
    <FormDialog
      guarded
      side
      size="lg"
      title={rule?.name ?? words.create}
      onClose={onClose}
      form={form}
      onSubmit={submit}
      submit={rule ? actions.save : words.create}
    >
      <TextInput {...field('name', terms.name)} maxLength={100} data-autofocus />
      <Section title={pages.products}>
        <Stack>
          <TextInput {...field('category', words.category)} maxLength={1_024} />
          <TextInput {...field('brand', pages.brand)} maxLength={128} />
          <TextInput {...field('words', words.words)} maxLength={256} />
          <Choice {...field('parents', words.parents)} labels={words.parentChoices} />
        </Stack>
      </Section>
      <Section title={words.options}>
        <Stack>
          <AttributeSetField subject="product" {...getInputProps('attributeSetId')} />
          <MultiSelect
            {...field('attributeIds', words.onlyAttributes)}
            data={attributes.map(({ id, name }) => ({ value: id, label: name }))}
            clearable
            searchable
            value={values.attributeIds.filter((id) => attributes.some((each) => each.id === id))}
          />
          <TierField {...getInputProps('modelType')} />
          <Switch {...check('websearch', newJob.websearch)} />
          {values.modelType === 'pro-v1' && <Switch {...check('agreement', words.agreement)} />}
          <PrecisionField {...field('precision', newJob.precision, newJob.precisionText)} placeholder={confidence.inherited} />
        </Stack>
      </Section>
      <Section title={words.limits}>
        <Stack>
          <NumberField {...field('maxCredits', words.maxCredits)} min={1} />
          <Checkbox.Group {...field('triggers', words.triggers)}>
            <Stack gap="xs" mt={4}>
              {TRIGGERS.map((trigger) => (
                <Checkbox key={trigger} value={trigger} label={words.triggerNames[trigger]} />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      </Section>
      <Estimate
        input={inputOf(values, rule, data?.attributes)}
        isValid={values.triggers.length > 0 && isPrecision(values.precision)}
      />
    </FormDialog>
  );
}

/** The products that the rule would read now, and the cost. */
function Estimate({ input, isValid }: { input: Input; isValid: boolean }) {
  const { gapRules: words, formats } = useStrings();
  const [text] = useDebouncedValue(JSON.stringify(input), 400);
  const [{ data, stale }] = useQuery({ query: ESTIMATE, variables: { input: JSON.parse(text) }, pause: !isValid });
  if (!isValid || !data?.gapEstimate) return null;
  const { products, gaps, credits, checked, isComplete } = data.gapEstimate;
  const say = isComplete ? words.estimate : words.estimatePart(formats.number(checked));
  const sentence =
    products === 0 && isComplete ? words.nothing : say(formats.number(products), formats.number(gaps), formats.credits(credits));
  return <EstimateNote text={sentence} isCovered={credits <= data.organization.credits} stale={stale} />;
}

/** The rules that fill gaps, with their last jobs. */
const RULES = graphql(`
  query GapRules {
    gapRules {
      id name selection attributeSetId attributeIds modelType websearch agreement autoAccept maxCredits triggers
      paused haltedBy isScanning checkedAt spent
      runs { gaps gapsLeft job { id kind status paused totalCount cost createdAt } }
    }
  }
`);
type Rule = Omit<GapRulesQuery['gapRules'][number], 'selection'> & { selection: GapSelection };
