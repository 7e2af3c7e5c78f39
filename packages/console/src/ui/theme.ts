import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { common } from '../texts/common.ts';
import { t } from '../texts/ui.ts';

/** Darker than the library's own: text on a filled button has to be read by everybody. */
const primaryShade = { light: 9, dark: 9 } as const;

/** The library's dark greys, with some of the sea in them: 0 is text, 4 edges, 6 fields, 7 cards, 8 the page. */
const dark = [
  '#d8dee6',
  '#b3bdc9',
  '#8a97a6',
  '#5d6b7b',
  '#364352',
  '#2a3542',
  '#212b37',
  '#18212b',
  '#10171f',
  '#0a0f15',
] as const;

export const theme = createTheme({
  primaryColor: 'cyan',
  colors: { dark },
  primaryShade,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  fontFamily: 'Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif',
  headings: { fontWeight: '650' },
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  // As plain rows: a component that is named here would be loaded with the first page.
  components: {
    Tooltip: {
      defaultProps: { withArrow: true, openDelay: 300, events: { hover: true, focus: true, touch: true } },
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': common.close } },
      // Below a title the library's own is too pale.
      styles: { description: { color: 'var(--mantine-color-text)' } },
    },
    ModalTitle: { defaultProps: { fw: 650, fz: 'lg' } },
    // The page has a header of its own; that of a dialogue is none of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t.showPassword, tabIndex: 0 } },
    },
    TextInput: { defaultProps: { autoComplete: 'off' } },
    SegmentedControl: { styles: { root: { background: 'var(--segments)' } } },
    Select: { defaultProps: { checkIconPosition: 'right' } },
    // Lists of choices that are closed would be made, and placed, with every page.
    Combobox: { defaultProps: { keepMounted: false } },
  },
});

/** Colours of which the library's own are too pale for WCAG 2.2 AA. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {
    // Under the pointer the library's own is lighter, and white letters on it too pale.
    '--mantine-color-cyan-filled-hover': '#0a5867',
    '--mantine-primary-color-filled-hover': '#0a5867',
  },
  light: {
    // Behind the cards.
    '--page': '#f3f6f8',
    '--land': '#c9d6df',
    '--segments': '#e3e9ee',
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-anchor': colors.cyan[9],
    // Pale buttons: the pale colour under the pointer is a shade lighter than the library's.
    '--mantine-color-cyan-light-color': '#0a5867',
    '--mantine-color-cyan-light-hover': colors.cyan[1],
    '--mantine-color-cyan-light': colors.cyan[0],
    '--mantine-color-error': colors.red[9],
    // Titles of notices with an orange edge.
    '--mantine-color-orange-outline': '#b93a0a',
    '--mantine-color-disabled-color': colors.gray[7],
  },
  dark: {
    '--page': colors.dark[8],
    '--land': colors.dark[4],
    '--segments': colors.dark[9],
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-anchor': colors.cyan[4],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-disabled-color': colors.dark[1],
  },
});
