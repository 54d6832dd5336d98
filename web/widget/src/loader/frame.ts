import { adoptStyles } from '../styles.ts';
import css from './launcher.css?inline';
import type { Settings } from './settings.ts';
import { applyScheme, applyTheme } from './theme.ts';

/** A name that no page has for an element of its own. */
const ELEMENT = 'catalog-graph-widget';

/**
 * The element of the widget with its shadow root. It is a child of the root element: a body may be replaced by a framework, and a
 * transformed body would move fixed elements.
 */
export function createFrame(theme: Record<string, unknown>, { scheme, position }: Pick<Settings, 'scheme' | 'position'>) {
  const host = document.createElement(ELEMENT);
  const shadow = host.attachShadow({ mode: 'open' });
  const frame = Object.assign(document.createElement('div'), { className: 'frame' });
  adoptStyles(shadow, css);
  applyTheme(frame, theme);
  applyScheme(frame, scheme);
  frame.dataset.side = position ?? (theme.position === 'left' ? 'left' : 'right');
  shadow.append(frame);
  const { documentElement } = document;
  documentElement.append(host);
  // A framework that renders the whole document removes unknown elements.
  new MutationObserver(() => host.isConnected || documentElement.append(host)).observe(documentElement, { childList: true });
  return { frame, shadow };
}
