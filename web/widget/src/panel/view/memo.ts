import { Component, type ComponentChildren, createElement, type FunctionComponent } from 'preact';

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
