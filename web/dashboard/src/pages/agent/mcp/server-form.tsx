import { JsonInput, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { editsOf } from '../../../parts/edits.ts';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { useClosingForm } from '../../../parts/use-closing-form.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { objectOf } from '../tools/values.ts';
import { CREATE_SERVER, DELETE_SERVER, type Server, UPDATE_SERVER } from './documents.ts';

interface Props {
  agentId: string;
  server?: Server;
  onClose(): void;
  onCreated(server: Server): void;
}

interface Values {
  name: string;
  url: string;
  headers: string;
  timeoutMs: number | string;
}

const inputOf = ({ name, url, headers, timeoutMs }: Values) => ({
  name: name.trim(),
  url: url.trim(),
  headersTemplate: objectOf(headers),
  timeoutMs: Number(timeoutMs) || null,
});

const headersOf = (server?: Server) => {
  const headers = server?.headersTemplate ?? {};
  return Object.keys(headers).length === 0 ? '' : JSON.stringify(headers, null, 2);
};

/** Creates, changes or deletes an MCP server. */
export function ServerForm({ agentId, server, onClose, onCreated }: Props) {
  const { agents, actions } = useStrings();
  const confirm = useConfirm();
  const [creation, create] = useMutation(CREATE_SERVER);
  const [change, update] = useMutation(UPDATE_SERVER);
  const [, remove] = useMutation(DELETE_SERVER);
  const form = useClosingForm<Values>({
    initialValues: {
      name: server?.name ?? '',
      url: server?.url ?? '',
      headers: headersOf(server),
      timeoutMs: server?.timeoutMs ?? 10_000,
    },
    validate: {
      name: (name) => (name.trim() ? null : agents.required),
      url: (url) => (/^https?:\/\/./.test(url) && URL.canParse(url) ? null : agents.wrongUrl),
      headers: (text) => (objectOf(text) === undefined ? agents.wrongJson : null),
    },
  });

  async function submit(values: Values) {
    const input = inputOf(values);
    if (server) {
      const { data } = await update({ id: server.id, input: editsOf(input, inputOf(form.getInitialValues())) });
      if (data) onClose();
      return;
    }
    const { data } = await create({ agentId, input });
    if (data) onCreated(data.createMcpServer);
  }
  async function ask({ id, name }: Server) {
    const question = { title: agents.deleteTitle(name), text: agents.deleteServerText, action: agents.delete, danger: true };
    if (!(await confirm(question))) return;
    const { data } = await remove({ id });
    if (data) onClose();
  }
  return (
    <Drawer guarded onClose={onClose} position="right" size="lg" title={server ? server.name : agents.addServer}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput label={agents.name} maxLength={64} data-autofocus {...form.getInputProps('name')} />
          <TextInput
            label={agents.url}
            description={agents.serverUrlHelp}
            placeholder="https://mcp.example.com/mcp"
            maxLength={2_000}
            spellCheck={false}
            {...form.getInputProps('url')}
          />
          <JsonInput
            label={agents.headers}
            description={agents.headersHelp}
            placeholder={'{ "authorization": "Bearer {{secret:SHOP_API_KEY}}" }'}
            autosize
            minRows={2}
            maxRows={12}
            spellCheck={false}
            {...form.getInputProps('headers')}
          />
          <NumberInput
            label={agents.timeout}
            min={500}
            max={30_000}
            step={500}
            allowDecimal={false}
            {...form.getInputProps('timeoutMs')}
          />
          <FormButtons
            submit={actions.save}
            loading={creation.fetching || change.fetching}
            onCancel={onClose}
            deletion={server && { label: agents.delete, onClick: () => ask(server) }}
          />
        </Stack>
      </form>
    </Drawer>
  );
}
