import { Stack, Title } from '@mantine/core';
import { type ComponentType, useEffect, useRef } from 'react';
import { useParams } from 'react-router';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import classes from './connections.module.css';
import { Tab as Servers } from './mcp.tsx';
import { Tab as Secrets } from './secrets.tsx';
import { Tab as Tools } from './tools.tsx';

/** The sections in their order, each with an address of its own. */
const sections: Record<string, ComponentType<TabProps>> = { tools: Tools, mcp: Servers, secrets: Secrets };

/** The tools and MCP servers of an agent, and the secrets of the organization, which a draft does not show. */
export function Tab({ agent }: TabProps) {
  const { tab } = useParams();
  const shown = Object.entries(sections).filter(([name]) => name !== 'secrets' || !agent.draftOf);
  return (
    <Stack gap="xl" className={classes.all}>
      {shown.map(([name, Content]) => (
        <Section key={name} name={name as 'tools'} isAddressed={tab === name}>
          <Content agent={agent} />
        </Section>
      ))}
    </Stack>
  );
}

interface SectionProps {
  name: 'tools' | 'mcp' | 'secrets';
  /** Whether the address of the page is that of the section, which then scrolls into view. */
  isAddressed: boolean;
  children: React.ReactNode;
}

/** Its height does not depend on its content, so that those above do not move it when they have loaded. */
function Section({ name, isAddressed, children }: SectionProps) {
  const { agents } = useStrings();
  const section = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAddressed) section.current?.scrollIntoView({ block: 'start' });
  }, [isAddressed]);
  return (
    <div ref={section} className={classes.section}>
      <Title order={2} size="h4" mb="xs">
        {agents.tabs[name]}
      </Title>
      {children}
    </div>
  );
}
