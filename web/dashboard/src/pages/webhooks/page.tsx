import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconShieldCheck, IconWebhook } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, LinkAction } from '../../parts/elements.tsx';
import { Segments } from '../../parts/forms-and-dialogs.tsx';
import { PageTitle, useSentence } from '../../parts/page-frame.tsx';
import { useAddress } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Editor } from '../../webhooks/editor.tsx';
import { State, useWebhooks } from '../../webhooks/use-webhooks.tsx';
import { isSurface, surfaceNames, type Webhook } from '../../webhooks/webhook-surfaces.ts';

/** The webhooks of all surfaces. */
export function Page() {
  const { webhooks: strings, pages, terms } = useStrings();
  const sentence = useSentence();
  const [parameters, setParameters] = useSearchParams();
  const [creating, { open, close }] = useDisclosure();
  const { webhooks, errors, retry } = useWebhooks();
  const chosen = parameters.get('surface') ?? undefined;
  const surface = isSurface(chosen) ? chosen : undefined;
  const shown = surface ? webhooks?.filter((each) => each.surface === surface) : webhooks;
  const onlyError = errors.length === surfaceNames.length ? errors[0]![1] : undefined;
  return (
    <>
      <PageTitle title={pages.webhooks}>
        <LinkAction label={strings.debug} to="webhooks/signature" variant="default" icon={IconShieldCheck} />
        <Action label={strings.create} onClick={open} icon={IconPlus} />
      </PageTitle>
      <Segments
        mb="md"
        aria-label={strings.filter}
        style={{ alignSelf: 'start' }}
        value={surface ?? ''}
        onChange={(value) => setParameters(value ? { surface: value } : {}, { replace: true })}
        labels={{ '': terms.all, ...strings.surfaces }}
      />
      {!onlyError &&
        errors.map(([name, error]) => (
          <Alert key={name} color="yellow" mb="md" title={strings.unread(strings.surfaces[name])}>
            {sentence(error)}
          </Alert>
        ))}
      <DataTable
        minHeight={280}
        label={pages.webhooks}
        columns={useColumns()}
        rows={{ ...allRows(shown ?? []), count: shown?.length, error: onlyError, retry }}
        empty={{
          icon: IconWebhook,
          title: strings.empty,
          text: strings.emptyText,
          action: <Button onClick={open}>{strings.create}</Button>,
        }}
      />
      {creating && <Editor onClose={close} surface={surface} />}
    </>
  );
}

function useColumns(): Column<Webhook>[] {
  const { webhooks, terms, formats } = useStrings();
  const address = useAddress();
  return [
    {
      key: 'url',
      title: terms.address,
      cell: ({ id, surface, name, url }) => (
        <Anchor component={Link} to={address(`webhooks/${surface}/${id}`)} title={url}>
          {name ?? url.replace(/^https?:\/\//, '')}
        </Anchor>
      ),
    },
    { key: 'surface', title: webhooks.filter, from: 'sm', width: 160, cell: ({ surface }) => webhooks.surfaces[surface] },
    {
      key: 'events',
      title: webhooks.events,
      from: 'md',
      cell: ({ events }) => (
        <Text truncate title={events.join(', ')}>
          {events.join(', ')}
        </Text>
      ),
    },
    { key: 'status', title: terms.status, width: 140, cell: (row) => <State webhook={row} /> },
    { key: 'created', title: terms.created, from: 'lg', width: 160, cell: ({ createdAt }) => formats.ago(createdAt) },
  ];
}
