import { Checkbox, Group, MultiSelect, Radio, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { CreateGapRuleMutationVariables, GapRulesQuery, GapSelection } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { EstimateNote } from '../../jobs/job-state.tsx';
import { Choice, FormDialog, NumberField, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { isPrecision, PrecisionField } from '../../values/precision.tsx';

const CREATE = graphql(`mutation CreateGapRule($input: GapRuleInput!) { createGapRule(input: $input) { id } }`);
const UPDATE = graphql(
  `mutation UpdateGapRule($id: ID!, $input: GapRuleInput!) { updateGapRule(id: $id, input: $input) { id paused } }`,
);
const SETS = graphql(`query GapAttributes {
  attributeSets(subject: product) { id name }
  attributes(subject: product) { id name isActive }
}`);
const ESTIMATE = graphql(`
  query GapEstimate($input: GapRuleInput!) {
    gapEstimate(input: $input) { products gaps credits checked isComplete }
    organization { id credits }
  }
`);

type Input = CreateGapRuleMutationVariables['input'];

interface Values {
  name: string;
  words: string;
  brand: string;
  category: string;
  parents: NonNullable<GapSelection['parents']>;
  attributeSetId: string | null;
  attributeIds: string[];
  modelType: Input['modelType'];
  websearch: boolean;
  agreement: boolean;
  precision: number | null;
  maxCredits: number | null;
  triggers: Input['triggers'];
}

const TRIGGERS = ['product-changed', 'attributes-changed', 'nightly'] as const;

const valuesOf = (rule?: Rule): Values => ({
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
  maxCredits: rule?.maxCredits ?? 100,
  triggers: [...(rule?.triggers ?? TRIGGERS)],
});

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
export function RuleEditor({ rule, onClose }: { rule?: Rule; onClose(): void }) {
  const { actions, confidence, gapRules: words, jobs, newJob, terms, pages } = useStrings();
  const [create] = useAction(CREATE, { done: words.saved, after: onClose });
  const [update] = useAction(UPDATE, {
    done: ({ updateGapRule }) => (updateGapRule.paused ? words.savedPaused : words.saved),
    after: onClose,
  });
  const [{ data }] = useQuery({ query: SETS });
  const form = useClosingForm<Values>({
    initialValues: valuesOf(rule),
    validate: {
      name: (name) => (name.trim() ? null : terms.required),
      precision: (precision) => (isPrecision(precision) ? null : newJob.wrongPrecision),
      maxCredits: (credits) => (credits !== null && credits >= 1 ? null : words.noCredits),
      triggers: (triggers) => (triggers.length > 0 ? null : words.noTrigger),
    },
  });
  const { values, getInputProps } = form;
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
      <TextInput label={terms.name} maxLength={100} data-autofocus {...getInputProps('name')} />
      <Section title={pages.products}>
        <Stack>
          <TextInput label={words.category} maxLength={1_024} {...getInputProps('category')} />
          <TextInput label={pages.brand} maxLength={128} {...getInputProps('brand')} />
          <TextInput label={words.words} maxLength={256} {...getInputProps('words')} />
          <Choice label={words.parents} labels={words.parentChoices} {...getInputProps('parents')} />
        </Stack>
      </Section>
      <Section title={words.options}>
        <Stack>
          <Select
            label={pages.attributeSet}
            placeholder={newJob.allAttributes}
            data={data?.attributeSets.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            clearable
            searchable
            {...getInputProps('attributeSetId')}
          />
          <MultiSelect
            label={words.onlyAttributes}
            data={attributes.map(({ id, name }) => ({ value: id, label: name }))}
            clearable
            searchable
            {...getInputProps('attributeIds')}
            value={values.attributeIds.filter((id) => attributes.some((each) => each.id === id))}
          />
          <Radio.Group label={terms.model} {...getInputProps('modelType')}>
            <Group mt={4}>
              <Radio value="budget-v1" label={jobs.tiers['budget-v1']} />
              <Radio value="pro-v1" label={jobs.tiers['pro-v1']} />
            </Group>
          </Radio.Group>
          <Switch label={newJob.websearch} {...getInputProps('websearch', { type: 'checkbox' })} />
          {values.modelType === 'pro-v1' && (
            <Switch label={words.agreement} {...getInputProps('agreement', { type: 'checkbox' })} />
          )}
          <PrecisionField
            label={newJob.precision}
            description={newJob.precisionText}
            placeholder={confidence.inherited}
            {...getInputProps('precision')}
          />
        </Stack>
      </Section>
      <Section title={words.limits}>
        <Stack>
          <NumberField label={words.maxCredits} min={1} {...getInputProps('maxCredits')} />
          <Checkbox.Group label={words.triggers} {...getInputProps('triggers')}>
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
export const RULES = graphql(`
  query GapRules {
    gapRules {
      id name selection attributeSetId attributeIds modelType websearch agreement autoAccept maxCredits triggers
      paused haltedBy isScanning checkedAt spent
      runs { gaps gapsLeft job { id kind status paused totalCount cost createdAt } }
    }
  }
`);
export type Rule = Omit<GapRulesQuery['gapRules'][number], 'selection'> & { selection: GapSelection };
