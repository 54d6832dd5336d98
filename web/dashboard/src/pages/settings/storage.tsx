import { Group, Progress, Stack, Text } from '@mantine/core';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const STORAGE = graphql(`
  query Storage { organization { id storage { bytes limit kinds { kind bytes } files { bytes limit } } } }
`);

/** The storage that the organization takes, and its quotas. */
export function Storage() {
  const { storage: strings } = useStrings();
  const formats = useFormats();
  const query = useQuery({ query: STORAGE });
  return (
    <Section title={strings.title}>
      <Loaded query={query}>
        {({ organization: { storage } }) => {
          const kinds = storage.kinds.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
          return (
            <Stack gap="md">
              <Quota label={strings.data} bytes={storage.bytes} limit={storage.limit} />
              {kinds.length > 0 && (
                <Stack gap={4}>
                  {kinds.map(({ kind, bytes }) => (
                    <Group key={kind} justify="space-between" gap="xs">
                      <Text size="sm">{strings.kinds[kind]}</Text>
                      <Text size="sm">{formats.bytes(bytes)}</Text>
                    </Group>
                  ))}
                </Stack>
              )}
              <Quota label={strings.files} bytes={storage.files.bytes} limit={storage.files.limit} />
              <Text size="sm" c="dimmed">
                {strings.help}
              </Text>
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Percentages of a quota from which on the bar warns. */
const [WARNING, FULL] = [80, 100];

function Quota({ label, bytes, limit }: { label: string; bytes: number; limit?: number | null }) {
  const { storage: strings } = useStrings();
  const formats = useFormats();
  const used = limit == null ? formats.bytes(bytes) : strings.of(formats.bytes(bytes), formats.bytes(limit));
  const share = limit == null ? 0 : limit === 0 ? FULL : Math.min(FULL, (FULL * bytes) / limit);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text size="sm">{used}</Text>
      </Group>
      {limit != null && (
        <Progress
          size="sm"
          aria-label={`${label}: ${used}`}
          value={share}
          color={share >= FULL ? 'red.7' : share >= WARNING ? 'orange.7' : 'indigo.6'}
        />
      )}
      {share >= FULL && (
        <Text size="sm" c="red">
          {strings.full}
        </Text>
      )}
    </Stack>
  );
}
