import type { Strings } from '../strings/en.ts';
import css from './launcher.css?inline';
import type { Settings } from './settings.ts';

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
  // A constructed style sheet needs no permission of a content security policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
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

/** Colors that the theme of an agent can set, with the variable for text on each. */
const COLORS = [
  ['primary', '--primary', '--on-primary'],
  ['bubble', '--bubble', '--on-bubble'],
] as const;

/** Apply the theme of an agent. Ignores values that are not colors. `bubble`, the color of the button, defaults to `primary`. */
function applyTheme({ style }: HTMLElement, theme: Record<string, unknown>): void {
  for (const [key, variable, onVariable] of COLORS) {
    const color = theme[key] ?? theme.primary;
    if (typeof color !== 'string' || !CSS.supports('color', color)) continue;
    style.setProperty(variable, color);
    style.setProperty(onVariable, textColorOn(color));
  }
}

/** Black or white, whichever has more contrast on a color (WCAG relative luminance). */
function textColorOn(color: string): string {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return '#fff';
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#fff' : '#000';
}

/** Set light or dark, and follow the system unless the page chose one. */
function applyScheme({ dataset }: HTMLElement, scheme: 'light' | 'dark' | undefined): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    dataset.scheme = scheme ?? (system.matches ? 'dark' : 'light');
  };
  apply();
  if (!scheme) system.addEventListener('change', apply);
}

const SVG = 'http://www.w3.org/2000/svg';
const CHAT =
  'M12 3C6.5 3 2 6.9 2 11.7c0 2.5 1.2 4.8 3.2 6.4-.1 1-.6 2.2-1.5 3.3 2 0 3.8-.7 5-1.5 1 .3 2.1.4 3.3.4 5.5 0 10-3.9 10-8.6S17.5 3 12 3Z';
const CLOSE = 'M6.4 5 5 6.4 10.6 12 5 17.6 6.4 19 12 13.4 17.6 19 19 17.6 13.4 12 19 6.4 17.6 5 12 10.6 6.4 5Z';

export interface Launcher {
  element: HTMLElement;
  focus(): void;
  update(state: { isOpen: boolean; isLoading: boolean; unread: number }): void;
}

/** The button that opens and closes the chat, with its badge. A landmark, because it is outside of the page's own ones. */
export function createLauncher(agent: string, strings: Strings, onClick: () => void): Launcher {
  const region = Object.assign(document.createElement('section'), { className: 'launcher', ariaLabel: agent });
  const button = Object.assign(document.createElement('button'), { type: 'button', ariaHasPopup: 'dialog' });
  const badge = Object.assign(document.createElement('span'), { className: 'badge', ariaHidden: 'true', hidden: true });
  const path = document.createElementNS(SVG, 'path');
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  icon.append(path);
  button.append(icon, badge);
  button.addEventListener('click', onClick);
  region.append(button);
  const launcher: Launcher = {
    element: region,
    focus: () => button.focus(),
    update({ isOpen, isLoading, unread }) {
      path.setAttribute('d', isOpen ? CLOSE : CHAT);
      const label = isOpen ? strings.closeChat : strings.openChat;
      button.ariaLabel = unread > 0 ? `${label} (${strings.unread(unread)})` : label;
      button.ariaExpanded = String(isOpen);
      button.ariaBusy = String(isLoading);
      badge.hidden = unread === 0;
      badge.textContent = unread > 99 ? '99+' : String(unread);
    },
  };
  launcher.update({ isOpen: false, isLoading: false, unread: 0 });
  return launcher;
}
