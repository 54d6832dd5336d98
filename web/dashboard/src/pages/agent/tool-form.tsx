import { Alert, Fieldset, Group, NumberInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { IconClipboard } from '@tabler/icons-react';
import { useState } from 'react';
import type { NewTool, ToolsQuery } from '../../../.graph/graphql.ts';
import { objectOf, readCurl, readOpenApi, schemaOf, type ToolRequest } from '../../agents/request-import.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { Action, Note, SmallAction } from '../../parts/elements.tsx';
import {
  Choice,
  editsOf,
  FormDialog,
  type FormOf,
  LongText,
  Modal,
  Segments,
  typed,
  useClosingForm,
} from '../../parts/forms-and-dialogs.tsx';
import { useConfirm } from '../../parts/overlays.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { isOpen, PairRows, ParameterRows, SafetyFields, safetyInputOf, safetyValuesOf } from './tool-fields.tsx';

const CREATE_TOOL = graphql(
  `mutation CreateTool($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { id } }`,
);
export const UPDATE_TOOL = graphql(`
  mutation UpdateTool($agentId: ID!, $id: ID!, $input: ToolChange!) {
    updateTool(agentId: $agentId, id: $id, input: $input) { id enabled approval writes unprotected }
  }
`);
const DELETE_TOOL = graphql(`mutation DeleteTool($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }`);
export type Tool = ToolsQuery['tools'][number];

/** Creates or changes a tool. */
export function ToolForm({ agentId, tool, onClose }: { agentId: string; tool?: Tool; onClose(): void }) {
  const { agents, actions, terms } = useStrings();
  const confirm = useConfirm();
  const [create] = useAction(CREATE_TOOL, { after: onClose });
  const [update] = useAction(UPDATE_TOOL, { after: onClose });
  const ask = { title: actions.deleteTitle(tool?.name ?? ''), text: agents.deleteToolText, action: actions.delete };
  const [remove] = useAction(DELETE_TOOL, { ask, after: onClose });
  // Rows keep their own text, so a request that is read renders new ones.
  const [readings, setReadings] = useState(0);
  const [isReading, setIsReading] = useState(false);
  const isRemote = Boolean(tool?.mcpServerId);
  const checkJson = (text: string) => (objectOf(text) === undefined ? agents.wrongJson : null);
  const form = useClosingForm({
    initialValues: valuesOf(tool),
    required: ['description'],
    validate: {
      name: (name) => (/^[a-z][a-z0-9_]{0,63}$/.test(name) ? null : agents.wrongToolName),
      endpointUrl: (url) => (isRemote || /^https?:\/\/./.test(url) ? null : agents.wrongUrl),
      inputSchema: checkJson,
      headersTemplate: checkJson,
      queryTemplate: checkJson,
      path: (path, { kind }) => (kind === 'jsonpath' && !path ? terms.required : null),
    },
  });

  async function submit(values: typeof form.values) {
    const inputs = (all: typeof values): NewTool => ({ ...inputOf(all, isRemote), ...safetyInputOf(all, tool) });
    const confirmed = isOpen(values, tool) ? { confirmUnprotected: values.name } : {};
    if (isOpen(values, tool) && !(tool && isOpen(form.getInitialValues(), tool)) && !(await confirmOpen(values.name))) return;
    const input = { ...inputs(values), ...confirmed };
    const edits = { ...editsOf(inputs(values), inputs(form.getInitialValues())), ...confirmed };
    await (tool ? update({ agentId, id: tool.id, input: edits }) : create({ agentId, input }));
  }
  const confirmOpen = (name: string) =>
    confirm({ title: agents.safety.openTitle(name), text: agents.safety.openText, action: agents.safety.openAction, danger: true });
  const read = ({ name, description, parameters, headers, query, body, method, endpointUrl }: ToolRequest) => {
    form.setValues({
      ...{ method: method as NewTool['method'] & string, endpointUrl, bodyTemplate: body },
      ...{ name: form.values.name || name, description: form.values.description || description },
      ...{ inputSchema: json(schemaOf(parameters)), headersTemplate: json(headers), queryTemplate: json(query) },
    });
    setReadings(readings + 1);
  };
  return (
    <FormDialog
      side
      guarded
      onClose={onClose}
      size="xl"
      title={tool ? tool.name : agents.addTool}
      form={form}
      onSubmit={submit}
      submit={actions.save}
      deletion={tool && { label: actions.delete, onClick: () => remove({ agentId, id: tool.id }) }}
    >
      <TextInput {...form.field('name', terms.name, agents.toolNameHelp)} placeholder="find_order" maxLength={64} data-autofocus />
      <LongText {...form.field('description', terms.description, agents.toolDescriptionHelp)} rows={[2, 8]} maxLength={4_000} />
      {!isRemote && (
        <SmallAction
          label={agents.readRequest}
          icon={IconClipboard}
          variant="light"
          w="fit-content"
          onClick={() => setIsReading(true)}
        />
      )}
      {isReading && <ToolImport onRead={read} onClose={() => setIsReading(false)} />}
      {!isRemote && <RequestFields key={readings} form={form} />}
      <ResultFields form={form} />
      <SafetyFields form={form} tool={tool} />
    </FormDialog>
  );
}

/** The HTTP request of a tool, with placeholders. */
function RequestFields({ form }: { form: FormOf<ToolValues> }) {
  const { agents, terms } = useStrings();
  return (
    <Fieldset legend={agents.request}>
      <Stack>
        <Group wrap="nowrap" align="flex-start" gap="xs">
          <Choice {...form.field('method', terms.method)} w={110} data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']} />
          <TextInput
            {...form.field('endpointUrl', terms.address)}
            flex={1}
            placeholder="https://api.example.com/orders/{{params.orderNumber}}"
            maxLength={4_000}
            spellCheck={false}
          />
        </Group>
        <ParameterRows {...form.field('inputSchema', terms.parameters)} help={agents.inputSchemaHelp} />
        <PairRows
          {...form.field('headersTemplate', agents.headers)}
          nameLabel={agents.headerName}
          help={agents.headersHelp}
          placeholder="Bearer {{secret:SHOP_API_KEY}}"
        />
        <PairRows {...form.field('queryTemplate', agents.query)} nameLabel={terms.key} placeholder="{{params.status}}" />
        {form.values.method !== 'GET' && (
          <LongText
            {...form.field('bodyTemplate', agents.body, agents.bodyHelp)}
            rows={[2, 12]}
            maxLength={100_000}
            spellCheck={false}
          />
        )}
        <TagsInput
          {...form.field('allowedDomains', agents.allowedDomains, agents.allowedDomainsHelp)}
          maxTags={50}
          acceptValueOnBlur
        />
      </Stack>
    </Fieldset>
  );
}

/** The parts of a response that the model receives. */
function ResultFields({ form }: { form: FormOf<ToolValues> }) {
  const { agents } = useStrings();
  return (
    <Fieldset legend={agents.resultOfTool}>
      <Stack>
        <Segments
          aria-label={agents.resultOfTool}
          labels={{ raw: agents.wholeResponse, jsonpath: 'JSONPath' }}
          {...form.getInputProps('kind')}
        />
        {form.values.kind === 'jsonpath' && (
          <TextInput {...form.field('path', 'JSONPath')} placeholder="$.order.status" maxLength={500} />
        )}
        <NumberInput {...form.field('truncateChars', agents.truncateChars)} min={1} max={100_000} allowDecimal={false} />
        <NumberInput {...form.field('timeoutMs', agents.timeout)} min={500} max={30_000} step={500} allowDecimal={false} />
      </Stack>
    </Fieldset>
  );
}

const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2));
const example = { type: 'object', properties: { orderNumber: { type: 'string' } }, required: ['orderNumber'] };

/** The values of the form of a tool. JSON is text there. */
const valuesOf = (tool?: Tool) => ({
  name: tool?.name ?? '',
  description: tool?.description ?? '',
  method: tool?.method ?? 'GET',
  endpointUrl: tool?.endpointUrl ?? '',
  inputSchema: json(tool?.inputSchema ?? example),
  headersTemplate: json(tool?.headersTemplate ?? {}),
  queryTemplate: json(tool?.queryTemplate ?? {}),
  bodyTemplate: tool?.bodyTemplate ?? '',
  kind: tool?.responseMapping.kind ?? 'raw',
  path: tool?.responseMapping.path ?? '',
  truncateChars: (tool?.responseMapping.truncateChars ?? 8_000) as number | string,
  timeoutMs: (tool?.timeoutMs ?? 5_000) as number | string,
  allowedDomains: tool?.allowedDomains ?? [],
  ...safetyValuesOf(tool),
});
type ToolValues = ReturnType<typeof valuesOf>;

/** The input of a mutation. A tool of an MCP server has no request of its own. */
function inputOf(values: ToolValues, isRemote: boolean): NewTool {
  const { name, description, kind, path, truncateChars, timeoutMs } = values;
  const common = {
    name,
    description,
    responseMapping: { kind, ...(kind === 'jsonpath' && { path }), truncateChars: Number(truncateChars) },
    timeoutMs: Number(timeoutMs),
  };
  if (isRemote) return common as NewTool;
  return {
    ...common,
    method: values.method,
    endpointUrl: values.endpointUrl,
    inputSchema: objectOf(values.inputSchema),
    headersTemplate: objectOf(values.headersTemplate),
    queryTemplate: objectOf(values.queryTemplate),
    bodyTemplate: values.bodyTemplate || null,
    allowedDomains: values.allowedDomains.length > 0 ? values.allowedDomains : null,
  };
}

/** Reads the request of a tool from a cURL command, or from an operation of an OpenAPI document. */
function ToolImport({ onRead, onClose }: { onRead(request: ToolRequest): void; onClose(): void }) {
  const { agents, terms } = useStrings();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const operations = readOpenApi(text);
  const request = operations ? operations.find(({ label }) => label === chosen)?.request : readCurl(text);
  return (
    <Modal title={agents.readRequest} size="lg" onClose={onClose}>
      <Stack>
        <Note>{agents.readRequestText}</Note>
        <LongText
          {...typed(text, setText)}
          label={agents.command}
          placeholder="curl https://api.example.com/orders?number=B-1 -H 'Authorization: Bearer …'"
          rows={[4, 14]}
          spellCheck={false}
          data-autofocus
          error={text.trim() !== '' && !operations && !request ? agents.noRequest : undefined}
        />
        {operations && (
          <Select
            label={terms.operation}
            searchable
            data={[...new Set(operations.map(({ label }) => label))]}
            value={chosen}
            onChange={setChosen}
            nothingFoundMessage={agents.noOperation}
          />
        )}
        {request && request.secrets.length > 0 && <Alert color="yellow">{agents.secretsLeft(request.secrets.join(', '))}</Alert>}
        <Action
          label={agents.useRequest}
          w="fit-content"
          disabled={!request}
          onClick={() => {
            if (request) onRead(request);
            onClose();
          }}
        />
      </Stack>
    </Modal>
  );
}
