import { Fieldset, NumberInput, Stack, Switch, TagsInput } from '@mantine/core';
import { graphql } from '../../../graph/graphql.ts';
import { useQuery } from '../../../graph/use-query.ts';
import { useStrings } from '../../../strings/strings.tsx';
import type { SettingsForm } from './values.ts';

const ATTRIBUTES = graphql(`query AttributeSlugs { attributes { id slug } }`);

/** Public access, limits, and the catalog access of the agent. */
export function Access({ form }: { form: SettingsForm }) {
  const { agents } = useStrings();
  const { catalogAccess } = form.values;
  const [{ data }] = useQuery({ query: ATTRIBUTES, pause: !catalogAccess });
  return (
    <Fieldset legend={agents.limits}>
      <Stack>
        <Switch
          label={agents.publicAccess}
          description={agents.publicAccessHelp}
          {...form.getInputProps('publicAccess', { type: 'checkbox' })}
        />
        <Switch label={agents.voice} description={agents.voiceHelp} {...form.getInputProps('voiceEnabled', { type: 'checkbox' })} />
        <NumberInput
          label={agents.dailyCreditLimit}
          description={agents.dailyCreditHelp}
          min={0}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('dailyCreditLimit')}
        />
        <NumberInput
          label={agents.retentionDays}
          description={agents.retentionHelp}
          placeholder={agents.forever}
          min={1}
          max={3_650}
          allowDecimal={false}
          {...form.getInputProps('retentionDays')}
        />
        <Switch
          label={agents.catalogAccess}
          description={agents.catalogHelp}
          {...form.getInputProps('catalogAccess', { type: 'checkbox' })}
        />
        {catalogAccess && (
          <TagsInput
            label={agents.catalogAttributes}
            description={agents.catalogAttributesHelp}
            data={data?.attributes.map(({ slug }) => slug)}
            limit={20}
            maxTags={500}
            acceptValueOnBlur
            {...form.getInputProps('catalogAttributes')}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
