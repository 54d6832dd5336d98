import { type DrawerProps, Drawer as LibraryDrawer, Modal as LibraryModal, type ModalProps } from '@mantine/core';
import { useFocusReturn } from './focus.ts';

/** A dialog that is mounted while it is open. Its opener gets the focus back. */
export function Modal(props: Omit<ModalProps, 'opened'>) {
  useFocusReturn();
  return <LibraryModal {...props} opened />;
}

/** A dialog at the side that is mounted while it is open. Its opener gets the focus back. */
export function Drawer(props: Omit<DrawerProps, 'opened'>) {
  useFocusReturn();
  return <LibraryDrawer {...props} opened />;
}
