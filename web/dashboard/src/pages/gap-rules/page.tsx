import { Alert, Group, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconPlus, IconRepeat } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { isOpen, JobStatusBadge, jobPath } from '../../jobs/job-state.tsx';
import { useJobsChanged } from '../../layout/overview.tsx';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { Empty, Loaded, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { RULES, type Rule, RuleEditor } from './rule-editor.tsx';

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
  const [run, isRunning] = useAction(RUN, { done: words.running });
  const [pause, isPausing] = useAction(PAUSE);
  const [remove, isRemoving] = useAction(DELETE, {
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
          {!paused && <SmallAction label={words.run} of={name} onClick={() => run({ id })} loading={isRunning} />}
          <SmallAction
            label={paused ? actions.continue : words.pause}
            of={name}
            onClick={() => pause({ id, paused: !paused })}
            loading={isPausing}
          />
          <SmallAction label={actions.edit} of={name} onClick={onEdit} />
          <SmallAction
            label={actions.delete}
            of={name}
            variant="subtle"
            color="red"
            onClick={() => remove({ id })}
            loading={isRemoving}
          />
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
