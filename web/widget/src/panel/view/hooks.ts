import { Component, type ComponentChildren, createContext, createElement, type FunctionComponent } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Strings } from '../../strings/en.ts';
import type { WidgetConfig } from '../../widget-contract.ts';
import type { Conversation } from '../chat/conversation.ts';
import type { Store } from '../chat/store.ts';
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

/** The state of a store. The component renders again after each change. */
export function useStore<S extends object>(store: Store<S>): S {
  const [state, setState] = useState(store.state);
  useLayoutEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  return state;
}

/** Seconds until a time in milliseconds, counted down; 0 afterwards. */
export function useCountdown(until: number | undefined): number {
  const secondsLeft = () => Math.max(0, Math.ceil(((until ?? 0) - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(secondsLeft);
  useEffect(() => {
    setSeconds(secondsLeft());
    if (secondsLeft() === 0) return;
    const timer = setInterval(() => {
      setSeconds(secondsLeft());
      if (secondsLeft() === 0) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

/** A component that renders again only when one of its properties changes. */
export function memo<P extends object>(component: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return Object.keys({ ...next, ...this.props }).some((key) => next[key as keyof P] !== this.props[key as keyof P]);
    }

    override render(): ComponentChildren {
      return createElement(component, this.props as P & { children?: ComponentChildren });
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
