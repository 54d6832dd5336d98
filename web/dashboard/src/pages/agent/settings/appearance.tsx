import { ColorInput, Fieldset, Group, SegmentedControl, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useStrings } from '../../../strings/strings.tsx';
import type { SettingsForm } from './values.ts';

const swatches = ['#3b55bc', '#0b7285', '#2b8a3e', '#e8590c', '#c2255c', '#5f3dc4', '#212529'];

/** The texts, colors and position of the widget. */
export function Appearance({ form }: { form: SettingsForm }) {
  const { agents } = useStrings();
  const position = useId();
  return (
    <Fieldset legend={agents.appearance}>
      <Stack>
        <Textarea
          label={agents.welcomeMessage}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={4_000}
          {...form.getInputProps('welcomeMessage')}
        />
        <TextInput
          label={agents.placeholder}
          description={agents.placeholderHelp}
          maxLength={255}
          {...form.getInputProps('placeholder')}
        />
        <TagsInput
          label={agents.suggestedMessages}
          description={agents.suggestedHelp}
          maxTags={20}
          splitChars={[]}
          acceptValueOnBlur
          {...form.getInputProps('suggestedMessages')}
        />
        <Group grow align="flex-start">
          {(['primary', 'bubble'] as const).map((name) => (
            <ColorInput
              key={name}
              label={agents[name]}
              placeholder={agents.automatic}
              format="hex"
              swatches={swatches}
              closeOnColorSwatchClick
              eyeDropperButtonProps={{ 'aria-label': agents.pickColor }}
              {...form.getInputProps(name)}
            />
          ))}
        </Group>
        <Stack gap={4} align="flex-start">
          <Text size="sm" fw={500} id={position}>
            {agents.position}
          </Text>
          <SegmentedControl
            aria-labelledby={position}
            data={[
              { value: 'left', label: agents.left },
              { value: 'right', label: agents.right },
            ]}
            {...form.getInputProps('position')}
          />
        </Stack>
        <Switch label={agents.poweredBy} {...form.getInputProps('poweredByVisible', { type: 'checkbox' })} />
      </Stack>
    </Fieldset>
  );
}
