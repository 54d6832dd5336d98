import { Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { RepliesFilter } from '../../.graph/graphql.ts';
import { Action, Tag } from '../parts/elements.tsx';
import { useUrlState } from '../parts/url-state.ts';
import { useStrings } from '../strings/strings.tsx';

/** The conversations behind a figure of an agent. All are texts of the address. */
const NO_FIGURE = { agent: '', from: '', to: '', version: '', answer: '', rating: '', source: '', handed: '' };
const CHOICES = { answer: ['unanswered', 'failed'], rating: ['up', 'down'], handed: ['yes'] };
export type Figure = typeof NO_FIGURE;

/** The address of the conversations behind a figure. */
export const figureAddress = (figure: Partial<Figure>): string =>
  `inbox/conversations?${new URLSearchParams(Object.entries(figure).filter(([, value]) => value !== ''))}`;

/** The figure in the address, if there is one, and a function that leaves it. */
export function useFigure() {
  const [figure, change] = useUrlState(NO_FIGURE, CHOICES);
  return { figure: figure.agent === '' ? undefined : figure, leave: () => change(NO_FIGURE) };
}

/** The variables of the query of conversations. */
export function variablesOfFigure({ agent, from, to, version, answer, rating, source, handed }: Figure) {
  const replies: RepliesFilter = {
    agentId: agent,
    ...(from && { from }),
    ...(to && { to }),
    ...(/^\d{1,9}$/.test(version) && { version: Number(version) }),
    ...(answer === 'unanswered' && { unanswered: true }),
    ...(answer === 'failed' && { failed: true }),
    ...((rating === 'up' || rating === 'down') && { rating }),
    ...(source && { sourceId: source }),
    ...(handed && { handedOver: true }),
  };
  return { agentId: null, replies };
}

interface Props {
  figure: Figure;
  agentName: string | undefined;
  onLeave(): void;
}

/** Names the conversations that the list shows, and leads back to all. */
export function FigureBar({ figure: { from, to, version, answer, rating, source, handed }, agentName, onLeave }: Props) {
  const { figures, terms, formats } = useStrings();
  const days = [from, to].filter(Boolean).map((day) => formats.fullDay(day));
  const labels = [
    agentName,
    from === to ? days[0] : days.join(' – '),
    version && figures.ofVersion(Number(version)),
    answer === 'unanswered' && terms.unanswered,
    answer === 'failed' && terms.failed,
    rating === 'up' && terms.ratedUp,
    rating === 'down' && terms.ratedDown,
    source && figures.citing,
    handed && figures.handoffs,
  ].filter(Boolean);
  return (
    <Group gap={6} px="sm" py="xs" role="group" aria-label={figures.filtered}>
      {labels.map((label) => (
        <Tag key={String(label)} label={label} color="gray" />
      ))}
      <Action label={figures.allConversations} size="compact-xs" variant="subtle" icon={IconX} onClick={onLeave} />
    </Group>
  );
}
