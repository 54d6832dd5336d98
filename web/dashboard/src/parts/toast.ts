import { openOverlays } from './overlay-host.tsx';

async function show(options: { id?: string; message: string; color: string; autoClose?: number }) {
  const [{ notifications }] = await Promise.all([import('@mantine/notifications'), openOverlays()]);
  notifications.show(options);
}

/** Confirms a finished action. */
export const showDone = (message: string) => void show({ message, color: 'teal' });

/** Shows why an action failed. Repeated messages share one toast. */
export const showProblem = (message: string) => void show({ id: message, message, color: 'red', autoClose: 10_000 });
