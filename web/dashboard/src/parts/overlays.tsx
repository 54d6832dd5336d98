import '@mantine/notifications/styles.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** The hosts of toasts and dialogs. */
export function Overlays({ onMounted }: { onMounted(): void }) {
  useEffect(onMounted, [onMounted]);
  return (
    <>
      <Notifications position="bottom-right" />
      <ModalsProvider />
    </>
  );
}
