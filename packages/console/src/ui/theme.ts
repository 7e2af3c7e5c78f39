import { type CSSVariablesResolver, createTheme, PasswordInput, Select, TextInput, Tooltip } from '@mantine/core';

/** Darker than the library's own: text on a filled button has to be read by everybody. */
const primaryShade = { light: 9, dark: 9 } as const;

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    Tooltip: Tooltip.extend({
      defaultProps: { withArrow: true, openDelay: 300, events: { hover: true, focus: true, touch: true } },
    }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show the password', tabIndex: 0 } },
    }),
    TextInput: TextInput.extend({ defaultProps: { autoComplete: 'off' } }),
    Select: Select.extend({ defaultProps: { checkIconPosition: 'right' } }),
  },
});

/** Colours of which the library's own are too pale for WCAG 2.2 AA. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-anchor': colors.cyan[9],
    // Pale buttons: the pale colour under the pointer is a shade lighter than the library's.
    '--mantine-color-cyan-light-color': '#0a5867',
    '--mantine-color-cyan-light-hover': colors.cyan[1],
    '--mantine-color-cyan-light': colors.cyan[0],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-disabled-color': colors.gray[7],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-anchor': colors.cyan[4],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-disabled-color': colors.dark[1],
  },
});
