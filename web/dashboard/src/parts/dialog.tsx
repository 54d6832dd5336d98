import { type DrawerProps, Drawer as LibraryDrawer, Modal as LibraryModal, type ModalProps, Stack } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useRef, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';
import { useFocusReturn } from './focus.ts';
import { FormButtons, type FormButtonsProps } from './form-state.tsx';
import { useUnsaved } from './leaving.ts';
import { isAsking, useConfirm } from './overlays.tsx';

interface DialogProps {
  onClose(): void;
  /** Whether Escape, the cross, a click outside and a navigation ask first once the user has typed into the dialog. */
  guarded?: boolean;
}

/** A dialog that is mounted while it is open. Its opener gets the focus back. */
export function Modal({ guarded, onClose, ...props }: Omit<ModalProps, 'opened'> & DialogProps) {
  return <LibraryModal {...props} {...useDialog({ guarded, onClose })} opened />;
}

/** A dialog at the side that is mounted while it is open. Its opener gets the focus back. */
export function Drawer({ guarded, onClose, ...props }: Omit<DrawerProps, 'opened'> & DialogProps) {
  return <LibraryDrawer {...props} {...useDialog({ guarded, onClose })} opened />;
}

interface FormDialogProps extends DialogProps, Omit<FormButtonsProps, 'onCancel'> {
  title: string;
  size?: ModalProps['size'];
  /** The dialog is at the side of the page. */
  side?: boolean;
  autoComplete?: string;
  onSubmit: FormEventHandler<HTMLFormElement>;
  children: ReactNode;
}

/** A dialog with the fields of a form, and below them its buttons. */
export function FormDialog({
  side,
  onSubmit,
  autoComplete,
  children,
  submit,
  loading,
  disabled,
  deletion,
  ...dialog
}: FormDialogProps) {
  const form = (
    <form onSubmit={onSubmit} autoComplete={autoComplete}>
      <Stack>
        {children}
        <FormButtons submit={submit} loading={loading} disabled={disabled} deletion={deletion} onCancel={dialog.onClose} />
      </Stack>
    </form>
  );
  return side ? (
    <Drawer {...dialog} position="right">
      {form}
    </Drawer>
  ) : (
    <Modal {...dialog}>{form}</Modal>
  );
}

function useDialog({ guarded = false, onClose }: DialogProps) {
  const { layout } = useStrings();
  const confirm = useConfirm();
  const [hasText, setHasText] = useState(false);
  useUnsaved(guarded && hasText);
  const isGuarded = useRef(guarded);
  isGuarded.current = guarded;
  const asks = useRef(false);
  useFocusReturn();
  return {
    onInput: () => setHasText(true),
    async onClose() {
      // Escape in a question also reaches the dialog below it.
      if (asks.current || isAsking()) return;
      if (!guarded || !hasText) return onClose();
      asks.current = true;
      const question = { title: layout.discardTitle, text: layout.discardText, action: layout.discard, danger: true };
      const isDiscarded = await confirm(question).finally(() => {
        asks.current = false;
      });
      // A save that ended meanwhile may show a secret, which must not close unread.
      if (isDiscarded && isGuarded.current) onClose();
    },
  };
}
