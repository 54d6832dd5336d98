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
