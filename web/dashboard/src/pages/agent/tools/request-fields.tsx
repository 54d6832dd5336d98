import { Fieldset, Group, JsonInput, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useStrings } from '../../../strings/strings.tsx';
import type { ToolValues } from './values.ts';

const area = { autosize: true, minRows: 2, maxRows: 12, spellCheck: false } as const;

/** The HTTP request of a tool, with placeholders. */
export function RequestFields({ form }: { form: UseFormReturnType<ToolValues> }) {
  const { agents } = useStrings();
  return (
    <Fieldset legend={agents.request}>
      <Stack>
        <Group wrap="nowrap" align="flex-start" gap="xs">
          <Select
            label={agents.method}
            w={110}
            allowDeselect={false}
            data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
            {...form.getInputProps('method')}
          />
          <TextInput
            flex={1}
            label={agents.url}
            placeholder="https://api.example.com/orders/{{params.orderNumber}}"
            maxLength={4_000}
            spellCheck={false}
            {...form.getInputProps('endpointUrl')}
          />
        </Group>
        <JsonInput
          label={agents.inputSchema}
          description={agents.inputSchemaHelp}
          {...area}
          {...form.getInputProps('inputSchema')}
        />
        <JsonInput
          label={agents.headers}
          description={agents.headersHelp}
          placeholder={'{ "authorization": "Bearer {{secret:SHOP_API_KEY}}" }'}
          {...area}
          {...form.getInputProps('headersTemplate')}
        />
        <JsonInput
          label={agents.query}
          placeholder={'{ "status": "{{params.status}}" }'}
          {...area}
          {...form.getInputProps('queryTemplate')}
        />
        {form.values.method !== 'GET' && (
          <Textarea
            label={agents.body}
            description={agents.bodyHelp}
            autosize
            minRows={2}
            maxRows={12}
            maxLength={100_000}
            spellCheck={false}
            {...form.getInputProps('bodyTemplate')}
          />
        )}
        <TagsInput
          label={agents.allowedDomains}
          description={agents.allowedDomainsHelp}
          maxTags={50}
          acceptValueOnBlur
          {...form.getInputProps('allowedDomains')}
        />
      </Stack>
    </Fieldset>
  );
}
