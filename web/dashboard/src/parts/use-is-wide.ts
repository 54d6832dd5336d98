import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen has room for tables with many columns. The width is the breakpoint `sm`. */
export const useIsWide = (): boolean => useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
