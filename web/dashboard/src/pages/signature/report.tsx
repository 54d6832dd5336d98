import { List, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Section } from '../../parts/section.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { SignatureReport } from '../../webhooks/surface.ts';

/** The checks of one family of signature headers. */
export function Report({ report: { family, accepted, checks } }: { report: SignatureReport }) {
  const { deliveries } = useStrings();
  return (
    <Section title={deliveries.families[family]}>
      <Text fw={600} mb="sm">
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
            <Text size="sm" fw={500}>
              {deliveries.checks[name] ?? name}
            </Text>
            {reason && <Text size="sm">{reason}</Text>}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
