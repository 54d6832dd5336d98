import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import { useAddress } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { useHandoffQueue } from './overview.tsx';

/** How this browser calls its user to a visitor who waits. */
export interface AlertChoice {
  notifies: boolean;
  sounds: boolean;
  /** Also for visitors who ask outside of the office hours of their agent. */
  always: boolean;
}

const NONE: AlertChoice = { notifies: false, sounds: false, always: false };
const KEY = 'call-alerts';
const CHANGED = 'call-alerts-changed';

/** The text of the choice, as the browser stores it once the user has chosen. A browser may refuse to store anything. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function onChoice(call: () => void): () => void {
  addEventListener('storage', call);
  addEventListener(CHANGED, call);
  return () => {
    removeEventListener('storage', call);
    removeEventListener(CHANGED, call);
  };
}

function parseChoice(text: string | null): AlertChoice {
  try {
    const { notifies, sounds, always } = JSON.parse(text ?? '{}');
    return { notifies: notifies === true, sounds: sounds === true, always: always === true };
  } catch {
    return NONE;
  }
}

/** The choice of this browser, and a function that changes it. A desktop notification needs the permission of the browser. */
export function useAlertChoice(): [AlertChoice, (choice: AlertChoice) => Promise<void>] {
  const choice = parseChoice(useSyncExternalStore(onChoice, readChoice));
  const change = async (next: AlertChoice) => {
    const isAllowed = next.notifies && 'Notification' in window && (await Notification.requestPermission()) === 'granted';
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...next, notifies: isAllowed }));
    } catch {
      // The choice lasts as long as the browser lets it.
    }
    dispatchEvent(new Event(CHANGED));
  };
  return [choice, change];
}

/** Notifies, and plays a sound, for each visitor who starts to wait while the dashboard is open: within office hours, unless the user wants more. */
export function CallAlerts() {
  const { layout } = useStrings();
  const address = useAddress();
  const navigate = useNavigate();
  const queue = useHandoffQueue();
  const [{ notifies, sounds, always }] = useAlertChoice();
  const known = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (!queue) return;
    const waiting = queue.handoffs.filter(({ status }) => status === 'waiting');
    // Those who wait already when the page opens are in the list.
    const added = known.current ? waiting.filter(({ id }) => !known.current!.has(id)) : [];
    known.current = new Set(waiting.map(({ id }) => id));
    const [first] = added.filter(({ awayUntil }) => always || !awayUntil);
    if (!first) return;
    if (sounds) playSound();
    if (!notifies || !('Notification' in window) || Notification.permission !== 'granted') return;
    // The tag replaces an earlier notification, also that of another tab.
    const notification = new Notification(layout.waiting(queue.waiting), { body: first.reason ?? undefined, tag: first.id });
    notification.onclick = () => {
      window.focus();
      navigate(address(`inbox/conversations/${first.conversationId}`));
      notification.close();
    };
  }, [queue, notifies, sounds, always, layout, address, navigate]);
  return null;
}

/** Two short tones. Browsers play no sound before the first click on a page. */
function playSound(): void {
  const context = new AudioContext();
  for (const [start, frequency] of [
    [0, 660],
    [0.18, 880],
  ] as const) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.15, context.currentTime + start);
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + start + 0.16);
    tone.connect(volume).connect(context.destination);
    tone.start(context.currentTime + start);
    tone.stop(context.currentTime + start + 0.17);
  }
  setTimeout(() => void context.close(), 1_000);
}
