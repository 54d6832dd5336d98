import { Grid, List, PasswordInput, Stack, Text, Textarea, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { useClient } from 'urql';
import type { SignatureVerdictFragment } from '../../../.graph/graphql.ts';
import { usePicker } from '../../parts/dates.ts';
import { Submit } from '../../parts/elements.tsx';
import { Segments, useForm } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { PageTitle, Section, useSentence } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { isSurface, type SurfaceName, surfaces } from '../../webhooks/webhook-surfaces.ts';

/** Explains why a signature is accepted or rejected. The form is not stored anywhere. */
export function Page() {
  const { deliveries: strings, webhooks, terms } = useStrings();
  const client = useClient();
  const picker = usePicker();
  const { state } = useLocation();
  const [parameters] = useSearchParams();
  const given = parameters.get('surface') ?? undefined;
  const [surface, setSurface] = useState<SurfaceName>(isSurface(given) ? given : 'catalog');
  const [reports, setReports] = useState<SignatureVerdictFragment[]>([]);
  const [busy, setBusy] = useState(false);
  const sentence = useSentence();
  const form = useForm({
    initialValues: {
      headers: '',
      body: (state as { body?: string } | null)?.body ?? '',
      secret: '',
      receivedAt: null as string | null,
    },
    required: ['headers'],
    validate: {
      secret: (secret) => (secret ? null : terms.required),
    },
  });

  async function check({ receivedAt, ...values }: typeof form.values) {
    setBusy(true);
    const input = { ...values, receivedAt: receivedAt && new Date(receivedAt).toISOString() };
    const { data, error } = await client.query(surfaces[surface].check, { input }, { requestPolicy: 'network-only' }).toPromise();
    setBusy(false);
    setReports(data?.reports ?? []);
    if (error) showProblem(sentence(error));
  }
  return (
    <>
      <PageTitle title={strings.signature} />
      <Text mb="md" maw={720}>
        {strings.signatureText}
      </Text>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <form onSubmit={form.onSubmit(check)}>
            <Stack>
              <Segments aria-label={strings.sentBy} value={surface} onChange={setSurface} labels={webhooks.surfaces} />
              <Textarea
                {...form.field('headers', strings.headers, strings.headersHelp)}
                rows={5}
                maxLength={16_384}
                spellCheck={false}
                styles={{ input: { fontFamily: 'monospace' } }}
              />
              <Textarea
                {...form.field('body', strings.body, strings.bodyHelp)}
                rows={6}
                maxLength={100_000}
                spellCheck={false}
                styles={{ input: { fontFamily: 'monospace' } }}
              />
              <PasswordInput {...form.field('secret', webhooks.secret, strings.secretHelp)} maxLength={1_000} autoComplete="off" />
              <DateTimePicker
                {...form.field('receivedAt', strings.receivedAt, strings.toHelp)}
                {...picker}
                valueFormat="YYYY-MM-DD HH:mm:ss"
                withSeconds
              />
              <Submit label={strings.check} loading={busy} />
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} aria-live="polite">
          <Stack>
            {reports.map((report) => (
              <Report key={report.family} report={report} />
            ))}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** The checks of one family of signature headers. */
function Report({ report: { family, accepted, checks } }: { report: SignatureVerdictFragment }) {
  const { deliveries } = useStrings();
  return (
    <Section title={deliveries.families[family]}>
      <Text size="md" fw={600} mb="sm">
        {accepted ? deliveries.accepted : deliveries.rejected}
      </Text>
      <List spacing="sm" listStyleType="none" styles={{ itemWrapper: { alignItems: 'flex-start' } }}>
        {checks.map(({ name, passed, reason }) => (
          <List.Item
            key={name}
            icon={
              <ThemeIcon size={20} radius="xl" variant="light" color={passed ? 'teal' : 'red'}>
                {passed ? <IconCheck size={14} aria-hidden /> : <IconX size={14} aria-hidden />}
                <VisuallyHidden>{passed ? deliveries.passed : deliveries.notPassed}</VisuallyHidden>
              </ThemeIcon>
            }
          >
            <Text fw={500}>{deliveries.checks[name] ?? name}</Text>
            {reason && <Text>{reason}</Text>}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
