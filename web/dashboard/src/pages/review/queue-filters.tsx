import { Group } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Choice, OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { type Filter, type Order, orders } from './review-queue.ts';

const DEFAULTS = { job: '', attribute: '', category: '', order: 'confidence' };
const CHOICES = { order: orders };

/** The filter and the order of the queue in the address. Only an attribute restricts the order of learning. */
export function useQueueFilter() {
  const [state, change] = useUrlState(DEFAULTS, CHOICES);
  const { attribute } = state;
  const order = state.order as Order;
  const [job, category] = order === 'learning' ? ['', ''] : [state.job, state.category];
  const filter = useMemo(
    (): Filter => ({ ...(job && { jobId: job }), ...(attribute && { attribute }), ...(category && { category }) }),
    [job, attribute, category],
  );
  return { state, change, filter, order };
}

const JOBS = graphql(`
  query ReviewedJobs { jobs(limit: 50, kind: "product-enrichment") { nodes { id createdAt totalCount } } }
`);
const CATEGORIES = graphql(
  `query ReviewedCategories($search: String!) { categories(search: $search, limit: 20) { nodes { id name } } }`,
);

/** Chooses the values to review by attribute, category and job, and their order. */
export function QueueFilters({ state, change, order }: ReturnType<typeof useQueueFilter>) {
  const { jobs, review, pages, terms, formats } = useStrings();
  const definitions = useDefinitions();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
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
      <Choice
        aria-label={review.order}
        data={orders.map((value) => ({ value, label: review.orders[value] }))}
        value={order}
        onChange={(order) => change({ order })}
      />
      <OptionalChoice
        aria-label={pages.attribute}
        none={terms.allAttributes}
        data={[...definitions.values()].map(({ slug, name }) => ({ value: slug, label: name }))}
        value={state.attribute}
        onChange={(attribute) => change({ attribute })}
        searchable
      />
      {order === 'confidence' && (
        <>
          <OptionalChoice
            aria-label={pages.category}
            none={review.allCategories}
            data={names}
            value={state.category}
            onChange={(category) => change({ category })}
            searchable
            searchValue={typed}
            onSearchChange={setTyped}
            filter={({ options }) => options}
          />
          <OptionalChoice
            aria-label={pages.job}
            none={review.allJobs}
            data={[...(known ?? []), ...(ofOlderJob ? [{ value: state.job, label: review.olderJob }] : [])]}
            value={state.job}
            onChange={(job) => change({ job })}
          />
        </>
      )}
    </Group>
  );
}
