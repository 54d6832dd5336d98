import { Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { editsOf } from '../../../parts/edits.ts';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { useClosingForm } from '../../../parts/use-closing-form.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { CREATE_TOOL, DELETE_TOOL, type Tool, UPDATE_TOOL } from './documents.ts';
import { RequestFields } from './request-fields.tsx';
import { ResultFields } from './result-fields.tsx';
import { inputOf, objectOf, valuesOf } from './values.ts';

interface Props {
  agentId: string;
  tool?: Tool;
  onClose(): void;
}

/** Creates or changes a tool. */
export function ToolForm({ agentId, tool, onClose }: Props) {
  const { agents, actions } = useStrings();
  const confirm = useConfirm();
  const [creation, create] = useMutation(CREATE_TOOL);
  const [change, update] = useMutation(UPDATE_TOOL);
  const [, remove] = useMutation(DELETE_TOOL);
  const isRemote = Boolean(tool?.mcpServerId);
  const checkJson = (text: string) => (objectOf(text) === undefined ? agents.wrongJson : null);
  const form = useClosingForm({
    initialValues: valuesOf(tool),
    validate: {
      name: (name) => (/^[a-z][a-z0-9_]{0,63}$/.test(name) ? null : agents.wrongToolName),
      description: (text) => (text.trim() ? null : agents.required),
      endpointUrl: (url) => (isRemote || /^https?:\/\/./.test(url) ? null : agents.wrongUrl),
      inputSchema: checkJson,
      headersTemplate: checkJson,
      queryTemplate: checkJson,
      path: (path, { kind }) => (kind === 'jsonpath' && !path ? agents.required : null),
    },
  });

  async function submit(values: typeof form.values) {
    const input = inputOf(values, isRemote);
    const edits = editsOf(input, inputOf(form.getInitialValues(), isRemote));
    const { data } = tool ? await update({ agentId, id: tool.id, input: edits }) : await create({ agentId, input });
    if (data) onClose();
  }
  async function ask(id: string) {
    const question = {
      title: agents.deleteTitle(form.values.name),
      text: agents.deleteToolText,
      action: agents.delete,
      danger: true,
    };
    if (await confirm(question)) {
      const { data } = await remove({ agentId, id });
      if (data) onClose();
    }
  }
  return (
    <Drawer guarded onClose={onClose} position="right" size="xl" title={tool ? tool.name : agents.addTool}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput
            label={agents.name}
            description={agents.toolNameHelp}
            placeholder="find_order"
            maxLength={64}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Textarea
            label={agents.description}
            description={agents.toolDescriptionHelp}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={4_000}
            {...form.getInputProps('description')}
          />
          {!isRemote && <RequestFields form={form} />}
          <ResultFields form={form} />
          <FormButtons
            submit={actions.save}
            loading={creation.fetching || change.fetching}
            onCancel={onClose}
            deletion={tool && { label: agents.delete, onClick: () => ask(tool.id) }}
          />
        </Stack>
      </form>
    </Drawer>
  );
}
