import { ActionIcon, Checkbox, Group, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { OfficeHoursInput } from '../../../.graph/graphql.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { usePicker } from '../../parts/dates.ts';
import { Action, Note } from '../../parts/elements.tsx';
import { Choice, LongText, ticked, typed } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Agent, TabProps } from './agent-documents.ts';

const SET = graphql(`
  mutation SetOfficeHours($agentId: ID!, $officeHours: OfficeHoursInput) {
    setOfficeHours(agentId: $agentId, officeHours: $officeHours) {
      id officeHours { timeZone spans { weekday opensAt closesAt } closedDates awayMessage }
    }
  }
`);

type Hours = NonNullable<Agent['officeHours']>;
type Span = Hours['spans'][number];

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const SPAN = { opensAt: '09:00', closesAt: '17:00' };
const isWorkday = (weekday: number) => weekday <= 5;

const usual = (): Hours => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  spans: WEEKDAYS.filter(isWorkday).map((weekday) => ({ weekday, ...SPAN })),
  closedDates: [],
  awayMessage: '',
});

/** When people answer the visitors of an agent. It is saved by itself, because it is not part of versions. */
export function OfficeHoursForm({ agent }: TabProps) {
  const { officeHours: texts, agents, actions } = useStrings();
  const { locale } = usePicker();
  const stored = agent.officeHours ?? null;
  const [edited, setHours] = useState<Hours | null>();
  const hours = edited === undefined ? stored : edited;
  const [update, fetching] = useAction(SET, { done: agents.saved, after: () => setHours(undefined) });
  const isDirty = JSON.stringify(hours) !== JSON.stringify(stored);
  useUnsaved(isDirty);
  const change = (next: Partial<Hours>) => setHours(hours && { ...hours, ...next });

  const save = () => update({ agentId: agent.id, officeHours: hours && inputOf(hours) });
  return (
    <Section title={texts.title}>
      <Stack>
        <Note>{texts.text}</Note>
        <Switch {...ticked(hours !== null, (isOn) => setHours(isOn ? (stored ?? usual()) : null))} label={texts.limited} />
        {hours && (
          <>
            <Choice
              label={texts.timeZone}
              searchable
              limit={100}
              data={[...new Set([hours.timeZone, ...Intl.supportedValuesOf('timeZone')])]}
              value={hours.timeZone}
              onChange={(timeZone) => change({ timeZone })}
            />
            <Stack gap="xs">
              {WEEKDAYS.map((weekday) => (
                <Weekday
                  key={weekday}
                  weekday={weekday}
                  spans={hours.spans.filter((span) => span.weekday === weekday)}
                  onChange={(own) =>
                    change({
                      spans: [...hours.spans.filter((span) => span.weekday !== weekday), ...own].sort(
                        (a, b) => a.weekday - b.weekday,
                      ),
                    })
                  }
                />
              ))}
            </Stack>
            <DatePickerInput
              locale={locale}
              type="multiple"
              valueFormat="YYYY-MM-DD"
              label={texts.closedDates}
              description={texts.closedDatesHelp}
              value={hours.closedDates}
              onChange={(closedDates) => change({ closedDates: closedDates.toSorted() })}
            />
            <LongText
              {...typed(hours.awayMessage, (awayMessage) => change({ awayMessage }))}
              label={texts.awayMessage}
              description={texts.awayMessageHelp}
              rows={[2, 6]}
              maxLength={2_000}
            />
          </>
        )}
        {isDirty && (
          <Group justify="flex-end" gap="xs">
            <Action label={actions.discard} of={texts.title} variant="default" onClick={() => setHours(undefined)} />
            <Action label={actions.save} of={texts.title} disabled={hours?.spans.length === 0} loading={fetching} onClick={save} />
          </Group>
        )}
      </Stack>
    </Section>
  );
}

/** Only the fields of the input, without the type names of the cache. */
const inputOf = ({ timeZone, spans, closedDates, awayMessage }: Hours): OfficeHoursInput => ({
  timeZone,
  spans: spans.map(({ weekday, opensAt, closesAt }) => ({ weekday, opensAt, closesAt })),
  closedDates,
  awayMessage,
});

function Weekday({ weekday, spans, onChange }: { weekday: number; spans: Span[]; onChange(spans: Span[]): void }) {
  const { officeHours: texts, terms, formats } = useStrings();
  const name = formats.weekday(weekday);
  const put = (place: number, change: Partial<Span>) => onChange(spans.with(place, { ...spans[place]!, ...change }));
  return (
    <Group gap="xs" align="flex-start">
      <Checkbox {...ticked(spans.length > 0, (isOn) => onChange(isOn ? [{ weekday, ...SPAN }] : []))} w={130} mt={6} label={name} />
      {spans.length === 0 && (
        <Text c="dimmed" mt={6}>
          {terms.closed}
        </Text>
      )}
      <Stack gap={4}>
        {spans.map(({ opensAt, closesAt }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a day has at most two spans, which have no other names.
          <Group key={place} gap={6} wrap="nowrap">
            <TextInput
              {...typed(opensAt, (text) => text && put(place, { opensAt: text }))}
              type="time"
              aria-label={texts.opensAt(name, place)}
            />
            –
            <TextInput
              {...typed(
                closesAt === '24:00' ? '00:00' : closesAt,
                (value) => value && put(place, { closesAt: value === '00:00' ? '24:00' : value }),
              )}
              type="time"
              aria-label={texts.closesAt(name, place)}
            />
            <Tooltip label={place === 0 ? texts.add : texts.remove}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${place === 0 ? texts.add : texts.remove}: ${name}`}
                disabled={place === 0 && spans.length > 1}
                onClick={() =>
                  onChange(place === 0 ? [...spans, { weekday, opensAt: '18:00', closesAt: '20:00' }] : spans.slice(0, 1))
                }
              >
                {place === 0 ? <IconPlus size={16} aria-hidden /> : <IconX size={16} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          </Group>
        ))}
      </Stack>
    </Group>
  );
}
