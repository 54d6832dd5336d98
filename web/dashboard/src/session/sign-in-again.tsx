import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useStrings } from '../strings/strings.tsx';

/** Escape must not close a form below this dialog. */
const keepsEscape = { 'data-mantine-stop-propagation': 'true' };

/** Covers the page after its session has ended. */
export function SignInAgain({ onContinue }: { onContinue(): void }) {
  const { signIn } = useStrings();
  const address = `/sign-in?ended&to=${encodeURIComponent(location.pathname + location.search)}`;
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // Above every other dialog.
      zIndex={1_000}
      overlayProps={{ blur: 6 }}
      title={signIn.endedTitle}
      {...keepsEscape}
    >
      <Stack>
        <Text>{signIn.endedText}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onContinue} {...keepsEscape}>
            {signIn.proceed}
          </Button>
          <Button
            component="a"
            href={address}
            target="_blank"
            rel="noopener"
            data-autofocus
            rightSection={<IconExternalLink size={16} aria-hidden />}
            {...keepsEscape}
          >
            {signIn.title}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
