import type { HandoffStatus } from '../../contract.ts';
import type { Message } from './message.ts';

/** A fault that the visitor sees above the input. */
export interface Notice {
  text: string;
  /** Time in milliseconds until which a retry would be refused. */
  waitUntil?: number;
  retry?: () => void;
}

export interface ChatState {
  messages: readonly Message[];
  /** A message is being sent or a reply is being streamed. */
  isBusy: boolean;
  isLoading: boolean;
  /** The connection of a running request is lost and is being restored. */
  isLost: boolean;
  notice: Notice | undefined;
  handoff: HandoffStatus | null;
  operatorName: string | null;
  isOperatorTyping: boolean;
  /** Position of the last message that the team has seen. */
  seenTo: number;
  /** The last finished message or status, for screen readers. */
  announcement: string;
}

export const initialState: ChatState = {
  messages: [],
  isBusy: false,
  isLoading: false,
  isLost: false,
  notice: undefined,
  handoff: null,
  operatorName: null,
  isOperatorTyping: false,
  seenTo: 0,
  announcement: '',
};
