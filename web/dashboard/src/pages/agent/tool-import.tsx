import { Alert, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { readCurl, readOpenApi, type ToolRequest } from '../../agents/request-import.ts';
import { Action, Note } from '../../parts/elements.tsx';
import { LongText, Modal } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';

interface Props {
  onRead(request: ToolRequest): void;
  onClose(): void;
}

/** Reads the request of a tool from a cURL command, or from an operation of an OpenAPI document. */
export function ToolImport({ onRead, onClose }: Props) {
  const { agents, terms } = useStrings();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const operations = readOpenApi(text);
  const request = operations ? operations.find(({ label }) => label === chosen)?.request : readCurl(text);
  return (
    <Modal title={agents.readRequest} size="lg" onClose={onClose}>
      <Stack>
        <Note>{agents.readRequestText}</Note>
        <LongText
          label={agents.command}
          placeholder="curl https://api.example.com/orders?number=B-1 -H 'Authorization: Bearer …'"
          rows={[4, 14]}
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={text.trim() !== '' && !operations && !request ? agents.noRequest : undefined}
        />
        {operations && (
          <Select
            label={terms.operation}
            searchable
            data={[...new Set(operations.map(({ label }) => label))]}
            value={chosen}
            onChange={setChosen}
            nothingFoundMessage={agents.noOperation}
          />
        )}
        {request && request.secrets.length > 0 && <Alert color="yellow">{agents.secretsLeft(request.secrets.join(', '))}</Alert>}
        <Action
          label={agents.useRequest}
          w="fit-content"
          disabled={!request}
          onClick={() => {
            if (request) onRead(request);
            onClose();
          }}
        />
      </Stack>
    </Modal>
  );
}
