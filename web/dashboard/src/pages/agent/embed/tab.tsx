import { ActionIcon, Alert, Anchor, Button, Code, CopyButton, Group, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Section } from '../../../parts/section.tsx';
import { useAddress } from '../../../session/organization.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import type { TabProps } from '../documents.ts';
import { OriginCheck } from './origin-check.tsx';
import { Origins } from './origins.tsx';

/** How to embed the widget, and which pages may. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const address = useAddress();
  const snippet = `<script src="${location.origin}/widget.js" data-agent="${agent.publicSlug}" async></script>`;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Stack>
        {!agent.publicAccess && (
          <Alert color="yellow" title={agents.private}>
            {agents.notPublic}{' '}
            <Anchor component={Link} size="sm" underline="always" to={address(`agents/${agent.id}/settings`)}>
              {agents.tabs.settings}
            </Anchor>
          </Alert>
        )}
        <Section title={agents.snippet}>
          <Text size="sm" mb="sm">
            {agents.snippetText}
          </Text>
          <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {snippet}
          </Code>
          <CopyButton value={snippet}>
            {({ copied, copy }) => (
              <Button
                mt="sm"
                variant="light"
                onClick={copy}
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              >
                {copied ? agents.copied : agents.copy}
              </Button>
            )}
          </CopyButton>
        </Section>
        <Section title={agents.identifiers}>
          <Identifier label={agents.publicSlug} value={agent.publicSlug} />
          <Identifier label="ID" value={agent.id} />
        </Section>
      </Stack>
      <Stack>
        <Origins agent={agent} />
        <OriginCheck agent={agent} />
      </Stack>
    </SimpleGrid>
  );
}

function Identifier({ label, value }: { label: string; value: string }) {
  const { agents } = useStrings();
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm">{label}</Text>
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? agents.copied : agents.copy}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`${agents.copy}: ${label}`}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
