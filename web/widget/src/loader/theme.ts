/** Colors that the theme of an agent can set, with the variable for text on each. */
const COLORS = [
  ['primary', '--primary', '--on-primary'],
  ['bubble', '--bubble', '--on-bubble'],
] as const;

/** Apply the theme of an agent. Ignores values that are not colors. `bubble`, the color of the button, defaults to `primary`. */
export function applyTheme({ style }: HTMLElement, theme: Record<string, unknown>): void {
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
export function applyScheme({ dataset }: HTMLElement, scheme: 'light' | 'dark' | undefined): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    dataset.scheme = scheme ?? (system.matches ? 'dark' : 'light');
  };
  apply();
  if (!scheme) system.addEventListener('change', apply);
}
