import {
  type CSSVariablesResolver,
  createTheme,
  Modal,
  Notification,
  PasswordInput,
  Select,
  TextInput,
  Tooltip,
} from '@mantine/core';

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
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      // Below a title the library's own is too pale.
      styles: { description: { color: 'var(--mantine-color-text)' } },
    }),
    // The page has a header of its own; that of a dialogue is none of the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
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
    // Titles of notices with an orange edge.
    '--mantine-color-orange-outline': '#b93a0a',
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
