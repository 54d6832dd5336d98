import { Grid, Stack } from '@mantine/core';
import { PageTitle } from '../../parts/page-title.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Credits } from './credits.tsx';
import { Decisions } from './decisions.tsx';
import { RunningJobs } from './running-jobs.tsx';

/** Running jobs, decisions that wait for a person, and costs. */
export function Page() {
  const { home } = useStrings();
  return (
    <>
      <PageTitle title={home.title} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <RunningJobs />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <Decisions />
            <Credits />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
