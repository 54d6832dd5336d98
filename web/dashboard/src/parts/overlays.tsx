import '@mantine/notifications/styles.css';
import { MantineThemeProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useStrings } from '../strings/strings.tsx';

/** The hosts of toasts and dialogs. */
export function Overlays({ onMounted }: { onMounted(): void }) {
  const { actions } = useStrings();
  useEffect(onMounted, [onMounted]);
  const closable = { defaultProps: { closeButtonProps: { 'aria-label': actions.close } } };
  return (
    <MantineThemeProvider theme={{ components: { Notification: closable } }}>
      <Notifications position="bottom-right" />
      <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': actions.close } }} />
    </MantineThemeProvider>
  );
}
