import { type CSSVariablesResolver, createTheme, darken, type MantineColorsTuple } from '@mantine/core';
import tabs from './parts/tabs.module.css';

const indigo: MantineColorsTuple = [
  '#eef2ff',
  '#dfe5fc',
  '#bcc8f7',
  '#96a8f2',
  '#758dee',
  '#607bec',
  '#5471eb',
  '#4460d2',
  '#3b55bc',
  '#2f49a6',
];

const dialog = { styles: { title: { fontWeight: 650, lineHeight: 1.3, overflowWrap: 'anywhere' } } } as const;

export const theme = createTheme({
  primaryColor: 'indigo',
  colors: { indigo },
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // A badge never truncates its label.
  components: {
    Badge: { defaultProps: { tt: 'none', miw: 'max-content' } },
    // Pages show facts and explanations; few texts are larger.
    Text: { defaultProps: { size: 'sm' } },
    Modal: dialog,
    Drawer: dialog,
    // Lines between choices would also stand before the first choice of a second row.
    SegmentedControl: { defaultProps: { withItemsBorders: false }, styles: { root: { flexWrap: 'wrap', maxWidth: '100%' } } },
    Tabs: { classNames: { list: tabs.list, tab: tabs.tab } },
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650' },
});

/** Errors, secondary text, and colored text on a tint of its color, with a contrast of at least 4.5. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => {
  const tinted = Object.entries(colors).map(([name, shades]) => [`--mantine-color-${name}-light-color`, darken(shades[9], 0.3)]);
  return {
    variables: {},
    light: {
      ...Object.fromEntries(tinted),
      '--mantine-color-error': colors.red[9],
      '--mantine-color-dimmed': colors.gray[7],
      '--mantine-color-placeholder': colors.gray[6],
    },
    dark: {
      '--mantine-color-error': colors.red[4],
      '--mantine-color-dimmed': colors.dark[1],
      '--mantine-color-placeholder': colors.dark[2],
    },
  };
};
