import { MantineThemeProvider } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useStrings } from './strings.tsx';

/** Gives the buttons of library components their labels, and keeps headers of dialogs from being landmarks of the page. */
export function Labels({ children }: { children: ReactNode }) {
  const { actions } = useStrings();
  const theme = useMemo(() => {
    const dialog = { defaultProps: { closeButtonProps: { 'aria-label': actions.close } } };
    const header = { defaultProps: { role: 'presentation' } };
    return { components: { Notification: dialog, Modal: dialog, Drawer: dialog, ModalHeader: header, DrawerHeader: header } };
  }, [actions]);
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>;
}
