import '@mantine/notifications/styles.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** The hosts of toasts and dialogs. */
export function Overlays({ onMounted }: { onMounted(): void }) {
  useEffect(onMounted, [onMounted]);
  return (
    <>
      {/* The buttons of forms are on the right. */}
      <Notifications position="bottom-left" />
      <ModalsProvider />
    </>
  );
}
