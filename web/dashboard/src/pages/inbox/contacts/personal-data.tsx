import { Button, Group } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type Client, type CombinedError, type OperationResult, useClient, useMutation } from 'urql';
import type { ExportContactQuery } from '../../../../.graph/graphql.ts';
import { useConfirm } from '../../../parts/confirm.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { showProblem } from '../../../parts/toast.ts';
import { useSentence } from '../../../parts/use-sentence.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { type Contact, ERASE, EXPORT } from './documents.ts';

/** Lets an admin save everything that is kept of a contact, and erase it. */
export function PersonalData({ contact: { id, name, email } }: { contact: Contact }) {
  const { inbox } = useStrings();
  const client = useClient();
  const confirm = useConfirm();
  const sentence = useSentence();
  const [isSaving, setSaving] = useState(false);
  const [{ fetching: isStarting }, erase] = useMutation(ERASE);

  async function save() {
    setSaving(true);
    try {
      await saveExport(client, id);
    } catch (error) {
      showProblem(sentence(error as CombinedError));
    } finally {
      setSaving(false);
    }
  }
  async function ask() {
    const title = inbox.eraseTitle(name || email || inbox.unknown);
    if (await confirm({ title, text: inbox.eraseText, action: inbox.erase, danger: true })) await erase({ id });
  }
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={isSaving} onClick={save} leftSection={<IconDownload size={16} aria-hidden />}>
        {inbox.exportContact}
      </Button>
      <Button
        size="xs"
        variant="light"
        color="red"
        loading={isStarting}
        onClick={ask}
        leftSection={<IconTrash size={16} aria-hidden />}
      >
        {inbox.eraseContact}
      </Button>
    </Group>
  );
}

/** Save the records of a contact as a JSON file, one part after the other. */
async function saveExport(client: Client, id: string): Promise<void> {
  const texts: string[] = [];
  let after: string | null | undefined;
  do {
    const read = client.query(EXPORT, { id, after }, { requestPolicy: 'network-only' });
    const { data, error }: OperationResult<ExportContactQuery> = await read.toPromise();
    if (!data) throw error;
    texts.push(...data.exportContact.records.map((record) => JSON.stringify(record, null, 2)));
    after = data.exportContact.endCursor;
  } while (after);
  const separated = texts.flatMap((text, index) => (index === 0 ? [text] : [',\n', text]));
  saveFile(`contact-${id}.json`, ['[', ...separated, ']\n'], 'application/json');
}
