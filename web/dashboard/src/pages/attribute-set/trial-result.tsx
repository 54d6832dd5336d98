import { Alert, Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useLive } from '../../graph/live.ts';
import { useQuery } from '../../graph/use-query.ts';
import { isOpen, JobStatusBadge } from '../../jobs/job-state.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';
import { Confidence } from '../../values/confidence.tsx';
import { formatValue } from '../../values/format.ts';
import { Origin } from '../../values/origin.tsx';
import { type Choice, TRIAL, TRIAL_PROGRESS } from './attribute-set.ts';

interface Props {
  jobId: string;
  attributeIds: string[];
  choices: Choice[];
}

/** The values that a try-out finds, in the order of the set. */
export function TrialResult({ jobId, attributeIds, choices }: Props) {
  const { jobs } = useStrings();
  const { strings, formats } = useLanguage();
  const address = useAddress();
  const query = useQuery({ query: TRIAL, variables: { id: jobId } });
  useLive(TRIAL_PROGRESS, { id: jobId, after: 0 }, ({ jobProgress: { job } }) => {
    if (!isOpen(job)) query[1]({ requestPolicy: 'network-only' });
  });
  return (
    <Loaded query={query}>
      {({ job }) => {
        const [item] = job.items.nodes;
        const origins = new Map(item?.provenance?.map((origin) => [origin.slug, origin]));
        const shown = attributeIds.flatMap((id) => choices.find((choice) => choice.id === id) ?? []);
        return (
          <Stack gap="sm" role="status">
            <Group gap="sm">
              <JobStatusBadge job={job} />
              {isOpen(job) && <Loader size="xs" />}
              <Anchor component={Link} to={address(`jobs/${jobId}`)} size="sm">
                {jobs.kinds[job.kind]}
              </Anchor>
            </Group>
            {item?.errorMessage && <Alert color="red">{item.errorMessage}</Alert>}
            {item?.enrichedData &&
              shown.map(({ slug, name, type, unit }) => {
                const origin = origins.get(slug);
                return (
                  <Stack key={slug} gap={4}>
                    <Group justify="space-between">
                      <Text size="sm" fw={500}>
                        {name}
                      </Text>
                      {origin && <Confidence value={origin.confidence} />}
                    </Group>
                    <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                      {formatValue(item.enrichedData?.[slug]?.value, type, strings, formats, unit)}
                    </Text>
                    {origin && <Origin {...origin} />}
                  </Stack>
                );
              })}
          </Stack>
        );
      }}
    </Loaded>
  );
}
