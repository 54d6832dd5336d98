import { Group, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { AuditAction, AuditLogQuery, AuditSubject } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable, useIsWide } from '../../parts/data-table.tsx';
import { Note } from '../../parts/elements.tsx';
import { OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

const AUDIT = graphql(`
  query AuditLog($page: Int!, $limit: Int!, $subject: AuditSubject, $action: AuditAction, $userId: ID) {
    auditLog(page: $page, limit: $limit, subject: $subject, action: $action, userId: $userId) {
      nodes { id createdAt subject subjectId action actor fields changes { field before after } user { id name } apiKey { id name } }
      pagination { total }
    }
  }
`);
const PEOPLE = graphql(`query People { organization { id members { user { id name } } } }`);
type Entry = AuditLogQuery['auditLog']['nodes'][number];

/** The changes with their authors, newest first. */
export function Part() {
  const { audit: strings } = useStrings();
  const [subject, setSubject] = useState<AuditSubject | null>(null);
  const [action, setAction] = useState<AuditAction | null>(null);
  const [userId, setUserId] = useState<string | null>(null);
  const [{ data: people }] = useQuery({ query: PEOPLE });
  const isWide = useIsWide();
  const rows = usePages(AUDIT, { subject, action, userId }, ({ auditLog }) => auditLog);
  const isFiltered = subject !== null || action !== null || userId !== null;
  return (
    <>
      <Group mb="md" gap="sm">
        <OptionalChoice
          aria-label={strings.subject}
          none={strings.allSubjects}
          labels={strings.subjects}
          value={subject ?? ''}
          onChange={(value) => setSubject((value || null) as AuditSubject | null)}
        />
        <OptionalChoice
          aria-label={strings.action}
          none={strings.allActions}
          labels={strings.actions}
          value={action ?? ''}
          onChange={(value) => setAction((value || null) as AuditAction | null)}
        />
        <OptionalChoice
          searchable
          aria-label={strings.person}
          none={strings.allPeople}
          labels={new Map(people?.organization.members.map(({ user: { id, name } }) => [id, name]))}
          value={userId ?? ''}
          onChange={(value) => setUserId(value || null)}
        />
      </Group>
      <DataTable
        minHeight={320}
        label={strings.title}
        columns={useColumns()}
        rows={rows}
        rowHeight={isWide ? 57 : 52}
        fixed
        empty={{ icon: IconHistory, title: isFiltered ? strings.noneMatch : strings.empty, text: strings.emptyText }}
      />
    </>
  );
}

type Words = Record<string, string>;
const ISO_TIME = /^\d{4}-\d\d-\d\dT/;

/** The changed settings in words. Switches, numbers and choices have their old and new values. */
function Settings({ entry: { fields, changes } }: { entry: Entry }) {
  const { audit, keys, settings, values, terms, formats } = useStrings();
  const nameOf = (field: string) => (audit.settings as Words)[field] ?? field;
  const known: Words = {
    ...settings.roles,
    ...settings.plans,
    ...settings.moduleNames,
    ...keys.groups,
    true: values.yes,
    false: values.no,
  };
  const wordOf = (text: string) => known[text] ?? (ISO_TIME.test(text) ? formats.time(text) : text);
  const textOf = (texts: string[]) => texts.map(wordOf).join(', ') || values.none;
  const texts = fields.map((field) => {
    const change = changes.find((each) => each.field === field);
    return change ? terms.changeOf(nameOf(field), textOf(change.before), textOf(change.after)) : nameOf(field);
  });
  return (
    <Text style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }} lineClamp={2} title={texts.join('\n')}>
      {texts.join('; ')}
    </Text>
  );
}

function useColumns(): Column<Entry>[] {
  const { audit, terms, formats } = useStrings();
  // On a narrow screen, the change contains the person.
  const isWide = useIsWide();
  const nameOf = ({ actor, user, apiKey }: Entry) =>
    [actor === 'user' ? (user?.name ?? audit.formerMember) : audit.actors[actor], apiKey && audit.byKey(apiKey.name)]
      .filter(Boolean)
      .join(' · ');
  return [
    {
      key: 'time',
      title: terms.time,
      width: 125,
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} title={formats.time(createdAt)}>
          {formats.ago(createdAt)}
        </time>
      ),
    },
    {
      key: 'what',
      title: terms.change,
      cell: (entry) => (
        <>
          <Text truncate title={entry.subjectId}>
            {audit.sentence(audit.subjects[entry.subject], audit.actions[entry.action])}
          </Text>
          {!isWide && (
            <Note size="xs" truncate>
              {nameOf(entry)}
            </Note>
          )}
        </>
      ),
    },
    {
      key: 'who',
      title: audit.person,
      from: 'sm',
      cell: (entry) => <Text truncate>{nameOf(entry)}</Text>,
    },
    { key: 'fields', title: audit.fields, from: 'md', cell: (entry) => <Settings entry={entry} /> },
  ];
}
