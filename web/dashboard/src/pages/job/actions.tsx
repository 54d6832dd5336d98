import { Button, Menu } from '@mantine/core';
import { IconDownload, IconPlayerStop, IconRepeat } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { type CombinedError, useClient, useMutation } from 'urql';
import type { JobPageQuery } from '../../../.graph/graphql.ts';
import { messageOf } from '../../graph/client.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { PauseButton } from '../../jobs/pause-button.tsx';
import { RetryButton } from '../../jobs/retry-button.tsx';
import { useConfirm } from '../../parts/confirm.ts';
import { showProblem } from '../../parts/toast.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { saveResults } from './download.ts';
import { RERUN_JOB, STOP_JOB } from './job.ts';

const labelKinds = ['brand-enrichment', 'product-category-enrichment'];
const tiers = ['budget-v1', 'pro-v1'] as const;

/** The actions that the state of a job allows: pause, continue, stop, retry, repeat, download. */
export function Actions({ job }: { job: JobPageQuery['job'] }) {
  const { jobs } = useStrings();
  const client = useClient();
  const navigate = useNavigate();
  const address = useAddress();
  const confirm = useConfirm();
  const [stopping, stop] = useMutation(STOP_JOB);
  const [repeating, repeat] = useMutation(RERUN_JOB);
  const { id } = job;

  async function askToStop() {
    if (await confirm({ title: jobs.stop, text: jobs.stopText, action: jobs.stop, danger: true })) await stop({ id });
  }
  async function rerun(modelType: (typeof tiers)[number]) {
    const { data } = await repeat({ id, modelType });
    if (data) navigate(address(`jobs/${data.rerunJob.id}`));
  }
  const save = () => saveResults(client, job).catch((error: CombinedError) => showProblem(messageOf(error)));
  const ended = !isOpen(job);
  return (
    <>
      {!ended && <PauseButton job={job} />}
      {!ended && (
        <Button
          variant="light"
          color="red"
          onClick={askToStop}
          loading={stopping.fetching}
          leftSection={<IconPlayerStop size={16} aria-hidden />}
        >
          {jobs.stop}
        </Button>
      )}
      <RetryButton job={job} />
      {ended && job.kind !== 'ai-import' && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" loading={repeating.fetching} leftSection={<IconRepeat size={16} aria-hidden />}>
              {jobs.rerun}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {tiers.map((tier) => (
              <Menu.Item key={tier} onClick={() => rerun(tier)}>
                {jobs.tiers[tier]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {ended && labelKinds.includes(job.kind) && (
        <Button variant="default" onClick={save} leftSection={<IconDownload size={16} aria-hidden />}>
          {jobs.download}
        </Button>
      )}
    </>
  );
}
