import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/use-query.ts';
import { useConfirm } from '../../parts/confirm.ts';
import { Modal } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { ROTATE, SECRET } from '../../webhooks/sites.ts';

/** Shows the signing secret of a webhook of a workspace, and replaces it. */
export function SigningSecret({ id, onClose }: { id: string; onClose(): void }) {
  const { webhooks } = useStrings();
  const formats = useFormats();
  const confirm = useConfirm();
  const query = useQuery({ query: SECRET, variables: { id }, requestPolicy: 'network-only' });
  const [{ fetching }, rotate] = useMutation(ROTATE);

  async function askToRotate(until: string | null | undefined) {
    const { rotateTitle: title, rotate: action } = webhooks;
    const force = until != null;
    const text = force ? webhooks.rotateAgainText(formats.time(until)) : webhooks.rotateText;
    if (await confirm({ title, text, action, danger: force })) await rotate({ id, force });
  }
  return (
    <Modal onClose={onClose} title={webhooks.secret} size="lg">
      <Loaded query={query}>
        {({ siteWebhookSecret: { secret, previousSecretExpiresAt: until } }) => (
          <Stack>
            <Secret value={secret} text={webhooks.secretText} />
            {until && <Text size="sm">{webhooks.previousUntil(formats.time(until))}</Text>}
            <Group justify="end">
              <Button variant="default" onClick={() => askToRotate(until)} loading={fetching}>
                {webhooks.rotate}
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}
