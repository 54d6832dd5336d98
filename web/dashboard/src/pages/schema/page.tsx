import { Box, Container, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Client, fetchExchange, Provider } from 'urql';
import { Submit } from '../../parts/elements.tsx';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { Narrow, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { History } from './history.tsx';
import { Operations } from './operations.tsx';
import { Parts } from './parts.tsx';

/** The schema and its use, for operators. Sessions belong to users of organizations, so an operator enters a key. */
export function Page() {
  const { schema, actions } = useStrings();
  const [key, setKey] = useState<string>();
  const form = useForm({ initialValues: { key: '' }, validate: { key: (text) => (text.trim() ? null : schema.key) } });
  const client = useMemo(() => key && clientWith(key), [key]);
  if (client)
    return (
      <Provider value={client}>
        <Usage />
      </Provider>
    );
  return (
    <Narrow title={schema.title} text={schema.keyText}>
      <form onSubmit={form.onSubmit((values) => setKey(values.key.trim()))}>
        <Stack>
          <PasswordInput label={schema.key} autoComplete="off" data-autofocus {...form.getInputProps('key')} />
          <Submit label={actions.open} />
        </Stack>
      </form>
    </Narrow>
  );
}

const clientWith = (key: string) =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': key }, credentials: 'omit' },
    exchanges: [fetchExchange],
  });

const DEFAULTS = { view: 'parts', days: '30' };
const CHOICES = { view: ['parts', 'operations', 'history'], days: ['1', '7', '30', '90'] };

function Usage() {
  const { schema, terms } = useStrings();
  const [{ view, days }, change] = useUrlState(DEFAULTS, CHOICES);
  const [parameters] = useSearchParams();
  const addressOf = (value: string) => {
    const next = new URLSearchParams(parameters);
    next.set('view', value);
    return `?${next}`;
  };
  return (
    <Container component="main" size="xl" h="100dvh" py="md" style={{ display: 'flex', flexDirection: 'column' }}>
      <PageTitle title={schema.title}>
        {view !== 'history' && (
          <Choice
            aria-label={terms.time}
            value={days}
            onChange={(days) => change({ days })}
            data={CHOICES.days.map((value) => ({ value, label: schema.lastDays(Number(value)) }))}
          />
        )}
      </PageTitle>
      <PageTabs
        label={schema.title}
        value={view}
        addressOf={addressOf}
        tabs={[
          { value: 'parts', label: schema.fields },
          { value: 'operations', label: schema.operations },
          { value: 'history', label: schema.history },
        ]}
      >
        <Box flex={1} mih={280} style={{ display: 'flex', flexDirection: 'column' }}>
          {view === 'parts' && <Parts days={Number(days)} />}
          {view === 'operations' && <Operations days={Number(days)} />}
          {view === 'history' && <History />}
        </Box>
      </PageTabs>
    </Container>
  );
}
