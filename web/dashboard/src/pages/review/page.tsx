import { Badge, Grid, Group, Paper, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconChecks, IconGauge } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action, LinkAction } from '../../parts/elements.tsx';
import { Choice, OptionalChoice, useOptionSearch } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { Empty, Loaded, Loading, PageTitle } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { type Definition, useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import { Confidence } from '../../values/origin.tsx';
import { Bulk } from './bulk.tsx';
import { Detail } from './detail.tsx';
import classes from './review.module.css';
import { type Filter, keyOf, type Order, orders, type Proposal, useDrafts, useReviewQueue } from './review-queue.ts';

/** The queue of values to review: a list, and the chosen value beside its evidence. Every decision has a key. */
export function Page() {
  const { pages, review, actions, formats } = useStrings();
  const filters = useQueueFilter();
  const { filter, order } = filters;
  const { query, open, total, hasMore, isDeciding, decide, record, undo } = useReviewQueue(filter, order);
  const [chosen, setChosen] = useState({ key: '', index: 0 });
  const drafts = useDrafts();
  useUnsaved(open?.some(drafts.isEdited) ?? false);
  const last = (open?.length ?? 1) - 1;
  const found = open?.findIndex((proposal) => keyOf(proposal) === chosen.key) ?? -1;
  const at = found === -1 ? Math.min(chosen.index, last) : found;
  const current = open?.[at];
  // A value that enters or leaves the queue moves the others, but not the choice.
  if (current && (chosen.key !== keyOf(current) || chosen.index !== at)) setChosen({ key: keyOf(current), index: at });
  const editing = current !== undefined && drafts.has(current);

  const choose = (index: number) => setChosen({ key: '', index });
  const move = (by: number) => choose(Math.max(0, Math.min(at + by, last)));
  const verdict = (choice: 'accept' | 'reject') => current && void decide(current, choice);
  async function save(proposal: Proposal) {
    if (await decide(proposal, 'edit', drafts.of(proposal))) drafts.drop(proposal);
  }
  async function takeBack() {
    const [first] = (await undo?.()) ?? [];
    if (first) setChosen({ key: keyOf(first), index: at });
  }
  // A key that is meant for a form or a dialog must not decide a value behind it.
  const unlessBusy = (action: () => void) => () => {
    if (!editing && !document.querySelector('[aria-modal="true"]')) action();
  };
  useHotkeys([
    ['j', unlessBusy(() => move(1))],
    ['k', unlessBusy(() => move(-1))],
    ['a', unlessBusy(() => verdict('accept'))],
    ['r', unlessBusy(() => verdict('reject'))],
    ['u', unlessBusy(() => void takeBack())],
    ['e', unlessBusy(() => current && drafts.write(current, current.proposed.value))],
  ]);
  return (
    <>
      <PageTitle title={pages.review}>
        {total > 0 && <Badge variant="light">{review.open(formats.number(total))}</Badge>}
        <LinkAction label={pages.confidence} to="review/confidence" variant="subtle" icon={IconGauge} />
        {undo && <Action label={actions.undo} variant="default" onClick={takeBack} icon={IconArrowBackUp} />}
        <Bulk filter={filter} total={total} isDeciding={isDeciding} onDecided={record} />
      </PageTitle>
      <QueueFilters {...filters} />
      <Loaded query={query}>
        {() =>
          !current ? (
            <Rest hasMore={hasMore} hasFailed={query[0].error !== undefined} isFiltered={Object.keys(filter).length > 0} />
          ) : (
            <Grid gap="md" flex={1} mih={0} className={classes.grid}>
              <Grid.Col span={{ base: 12, md: 4 }} mih={0}>
                <List proposals={open!} at={at} onChoose={choose} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 8 }}>
                <Detail
                  key={keyOf(current)}
                  proposal={current}
                  editing={editing}
                  draft={drafts.of(current)}
                  onDraft={(value) => drafts.write(current, value)}
                  onCancel={() => drafts.drop(current)}
                  onSave={() => save(current)}
                  onDecide={verdict}
                />
              </Grid.Col>
            </Grid>
          )
        }
      </Loaded>
    </>
  );
}

/** In place of the list after its last value. */
function Rest({ hasMore, hasFailed, isFiltered }: { hasMore: boolean; hasFailed: boolean; isFiltered: boolean }) {
  const { review } = useStrings();
  if (!hasMore && isFiltered) return <Empty icon={IconChecks} title={review.noneMatch} text={review.noneMatchText} />;
  if (!hasMore) return <Empty icon={IconChecks} title={review.empty} text={review.emptyText} />;
  return hasFailed ? null : <Loading />;
}

function List({ proposals, at, onChoose }: { proposals: Proposal[]; at: number; onChoose(index: number): void }) {
  const { home } = useStrings();
  const definitions = useDefinitions();
  return (
    <Paper withBorder className={classes.list}>
      <ScrollArea h="100%" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': home.values }}>
        {proposals.map((proposal, index) => (
          <Entry
            key={keyOf(proposal)}
            proposal={proposal}
            definition={definitions.get(proposal.slug)}
            active={index === at}
            onChoose={() => onChoose(index)}
          />
        ))}
      </ScrollArea>
    </Paper>
  );
}

interface EntryProps {
  proposal: Proposal;
  /** The attribute, if it still exists. */
  definition: Definition | undefined;
  active: boolean;
  onChoose(): void;
}

function Entry({ proposal, definition, active, onChoose }: EntryProps) {
  const strings = useStrings();
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const { product, proposed, confidence } = proposal;
  return (
    <UnstyledButton
      ref={element}
      className={classes.entry}
      data-active={active || undefined}
      aria-current={active || undefined}
      onClick={onChoose}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={500} truncate>
          {product?.name ?? strings.review.deleted}
        </Text>
        <Confidence value={confidence} />
      </Group>
      <Text size="xs" truncate>
        {`${definition?.name ?? proposed.attributeName}: ${formatValue(proposed.value, proposed.attributeType, strings, definition)}`}
      </Text>
    </UnstyledButton>
  );
}

const DEFAULTS = { job: '', attribute: '', category: '', order: 'confidence' };
const CHOICES = { order: orders };

/** The filter and the order of the queue in the address. Only an attribute restricts the order of learning. */
function useQueueFilter() {
  const [state, , bind] = useUrlState(DEFAULTS, CHOICES);
  const { attribute } = state;
  const order = state.order as Order;
  const [job, category] = order === 'learning' ? ['', ''] : [state.job, state.category];
  const filter = useMemo(
    (): Filter => ({ ...(job && { jobId: job }), ...(attribute && { attribute }), ...(category && { category }) }),
    [job, attribute, category],
  );
  return { state, bind, filter, order };
}

const JOBS = graphql(`
  query ReviewedJobs { jobs(limit: 50, kind: "product-enrichment") { nodes { id createdAt totalCount } } }
`);
const CATEGORIES = graphql(
  `query ReviewedCategories($search: String!) { categories(search: $search, limit: 20) { nodes { id name } } }`,
);

/** Chooses the values to review by attribute, category and job, and their order. */
function QueueFilters({ state, bind, order }: ReturnType<typeof useQueueFilter>) {
  const { jobs, review, pages, terms, formats } = useStrings();
  const definitions = useDefinitions();
  const [search, searching] = useOptionSearch();
  // The chosen category would find only itself.
  const [{ data: found }] = useQuery({ query: CATEGORIES, variables: { search: search === state.category ? '' : search } });
  const [{ data: started }] = useQuery({ query: JOBS });
  const names = [
    ...new Set([...(state.category ? [state.category] : []), ...(found?.categories.nodes.map(({ name }) => name) ?? [])]),
  ];
  const known = started?.jobs.nodes.map(({ id, createdAt, totalCount }) => ({
    value: id,
    label: `${formats.time(createdAt)}, ${jobs.items(totalCount)}`,
  }));
  const ofOlderJob = state.job && known && !known.some(({ value }) => value === state.job);
  return (
    <Group gap="sm" mb="sm">
      <Choice {...bind('order')} aria-label={review.order} data={orders.map((value) => ({ value, label: review.orders[value] }))} />
      <OptionalChoice
        {...bind('attribute')}
        aria-label={pages.attribute}
        none={terms.allAttributes}
        data={[...definitions.values()].map(({ slug, name }) => ({ value: slug, label: name }))}
        searchable
      />
      {order === 'confidence' && (
        <>
          <OptionalChoice
            {...searching}
            {...bind('category')}
            aria-label={pages.category}
            none={review.allCategories}
            data={names}
          />
          <OptionalChoice
            {...bind('job')}
            aria-label={pages.job}
            none={review.allJobs}
            data={[...(known ?? []), ...(ofOlderJob ? [{ value: state.job, label: review.olderJob }] : [])]}
          />
        </>
      )}
    </Group>
  );
}
