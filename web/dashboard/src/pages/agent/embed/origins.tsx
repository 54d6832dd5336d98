import { Button, Group, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Section } from '../../../parts/section.tsx';
import { showDone } from '../../../parts/toast.ts';
import { useUnsaved } from '../../../parts/unsaved.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { type TabProps, UPDATE_AGENT } from '../documents.ts';
import { originOf } from './origin.ts';

/** The origins that may embed the widget. Addresses of pages become their origins. */
export function Origins({ agent }: TabProps) {
  const { agents, actions } = useStrings();
  const [{ fetching }, update] = useMutation(UPDATE_AGENT);
  const stored = agent.allowedOrigins;
  const [origins, setOrigins] = useState(stored);
  const [base, setBase] = useState(stored);
  const [problem, setProblem] = useState<string>();
  const isChanged = origins.join(' ') !== stored.join(' ');
  useUnsaved(isChanged);
  if (base.join(' ') !== stored.join(' ')) {
    setBase(stored);
    setOrigins(merged(origins, base, stored));
  }

  function change(values: string[]) {
    const wrong = values.find((each) => originOf(each) === null);
    setProblem(wrong === undefined ? undefined : agents.notAnOrigin(wrong));
    setOrigins([...new Set(values.flatMap((each) => originOf(each) ?? []))]);
  }
  async function save() {
    const { data } = await update({ id: agent.id, input: { allowedOrigins: origins } });
    if (data) showDone(agents.saved);
  }
  return (
    <Section title={agents.allowedOrigins}>
      <TagsInput
        label={agents.origins}
        description={agents.originsHelp}
        placeholder="https://shop.example.com"
        value={origins}
        onChange={change}
        error={problem}
        maxTags={100}
        splitChars={[',', ' ']}
        acceptValueOnBlur
      />
      <Group justify="flex-end" mt="sm">
        <Button disabled={!isChanged} loading={fetching} onClick={save}>
          {actions.save}
        </Button>
      </Group>
    </Section>
  );
}

/** The stored origins with what the user has added to and removed from the former ones. */
const merged = (edited: string[], before: string[], stored: string[]): string[] => [
  ...stored.filter((origin) => edited.includes(origin) || !before.includes(origin)),
  ...edited.filter((origin) => !before.includes(origin) && !stored.includes(origin)),
];
