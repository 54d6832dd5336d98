import { Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from 'urql';
import { showDone } from '../../../parts/toast.ts';
import { useUnsaved } from '../../../parts/unsaved.ts';
import { useFollowedForm } from '../../../parts/use-followed-form.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { type TabProps, UPDATE_AGENT } from '../documents.ts';
import { Access } from './access.tsx';
import { Appearance } from './appearance.tsx';
import { Behavior } from './behavior.tsx';
import { DeleteAgent } from './delete-agent.tsx';
import { Preview } from './preview.tsx';
import classes from './settings.module.css';
import { changeOf, valuesOf } from './values.ts';

/** The settings of an agent, beside a live preview of its widget. */
export function Tab({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const [{ fetching }, update] = useMutation(UPDATE_AGENT);
  const values = valuesOf(agent);
  const form = useForm({
    initialValues: values,
    validate: { name: (name) => (name.trim() ? null : agents.required) },
  });
  const isDirty = form.isDirty();
  useUnsaved(isDirty);

  const saveEdits = useFollowedForm(form, values);

  async function save(edited: Partial<typeof values>) {
    const { data } = await update({ id: agent.id, input: changeOf(agent, form.getValues(), edited) });
    if (data) showDone(agents.saved);
    return data !== undefined;
  }
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="xl">
      <form onSubmit={form.onSubmit(() => saveEdits(save))} aria-label={agents.tabs.settings}>
        <Stack gap="lg">
          <Behavior form={form} />
          <Appearance form={form} />
          <Access form={form} />
          <Paper className={classes.save} p="sm" withBorder>
            <Group justify="space-between">
              <Text size="sm" role="status">
                {isDirty ? agents.unsaved : agents.unchanged}
              </Text>
              <Group gap="xs">
                <Button variant="default" disabled={!isDirty} onClick={form.reset}>
                  {agents.reset}
                </Button>
                <Button type="submit" disabled={!isDirty} loading={fetching}>
                  {actions.save}
                </Button>
              </Group>
            </Group>
          </Paper>
          <DeleteAgent agent={agent} />
        </Stack>
      </form>
      <Box className={classes.preview}>
        <Preview agent={agent} values={form.values} />
      </Box>
    </SimpleGrid>
  );
}
