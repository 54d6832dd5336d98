import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WidgetConfig } from '../../contract.ts';
import type { Strings } from '../../strings/en.ts';
import type { Conversation } from '../chat/conversation.ts';
import type { Voice } from '../chat/voice.ts';

interface Panel {
  conversation: Conversation;
  voice: Voice;
  config: WidgetConfig;
  strings: Strings;
  close(): void;
  /** Move the focus to the input, after its former element was removed. On touch screens to the dialog, to keep the keyboard away. */
  focusInput(): void;
}

export const PanelScope = createContext<Panel | undefined>(undefined);

/** The context that all parts of the panel share. */
export function usePanel(): Panel {
  const panel = useContext(PanelScope);
  if (!panel) throw new Error('Rendered outside of the panel');
  return panel;
}
