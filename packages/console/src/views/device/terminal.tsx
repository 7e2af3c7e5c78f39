import '@xterm/xterm/css/xterm.css';
import { Box, Button, Group, Stack } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { Terminal as Xterm } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/device-tabs.tsx';
import { Muted } from '../../ui/muted.tsx';
import { LineEditor } from './line-editor.ts';
import { failureText, responseText } from './responses.ts';
import { maskSecrets } from './secrets.ts';

/** Longest line that a module takes. The limit of the endpoint. */
const lineLimit = 1024;
const rows = 24;

/**
 * Lines entered before, by device, for as long as the page lives. Nowhere else: there are passwords among them.
 */
const histories = new Map<string, string[]>();

const colours = { background: '#101113', foreground: '#e9ecef', cursor: '#e9ecef', red: '#ff8787', green: '#69db7c' };

function historyOf(deviceId: string): string[] {
  const history = histories.get(deviceId) ?? [];
  histories.set(deviceId, history);
  return history;
}

/** As many columns as there is room for; the terminal measures its own letters. */
function fit(terminal: Xterm, place: HTMLElement): void {
  const screen = place.querySelector('.xterm-screen');
  const cell = (screen?.clientWidth ?? 0) / terminal.cols;
  if (cell === 0) return;
  const scrollbar = 16;
  const columns = Math.floor((place.clientWidth - scrollbar) / cell);
  if (columns !== terminal.cols && columns > 10) terminal.resize(columns, rows);
}

/** Whether secrets are shown, and what has been masked last. */
interface Secrets {
  shown: boolean;
  /** The last answer, whole, where something of it was masked. */
  last: string | undefined;
  /** Prints something between two lines. */
  print: (text: string) => void;
}

function openTerminal(place: HTMLElement, deviceId: string, secrets: Secrets): () => void {
  const terminal = new Xterm({
    rows,
    fontSize: 14,
    // With less, the underscore of most fonts is cut off, and commands are full of them.
    lineHeight: 1.2,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    cursorBlink: false,
    screenReaderMode: true,
    scrollback: 5_000,
    theme: colours,
  });
  terminal.open(place);
  // Users of the keyboard alone have to get out again.
  terminal.attachCustomKeyEventHandler(({ key }) => key !== 'Tab');
  terminal.textarea?.setAttribute('aria-label', t.commandLineOfDevice);
  let waiting = new AbortController();
  let closed = false;
  const editor = new LineEditor({
    prompt: '> ',
    screen: { write: (text) => void (closed || terminal.write(text)), columns: () => terminal.cols },
    history: historyOf(deviceId),
    limit: lineLimit,
    interrupt: () => waiting.abort(),
    async run(command) {
      waiting = new AbortController();
      const input = { params: { device_id: deviceId }, body: { command } };
      const text = await call('channel.command', input, waiting.signal).then(({ value }) => {
        const { text: data, masked } = maskSecrets(command, value.data);
        secrets.last = masked ? responseText(value) : undefined;
        return responseText(secrets.shown ? value : { ...value, data });
      }, failureText);
      if (!closed) terminal.write(text);
    },
  });
  secrets.print = (text) => {
    if (closed || editor.busy) return;
    terminal.write(`\r\x1b[K${text}`);
    editor.draw();
  };
  terminal.onData((data) => editor.feed(data));
  const observer = new ResizeObserver(() => {
    fit(terminal, place);
    editor.draw();
  });
  observer.observe(place);
  fit(terminal, place);
  editor.draw();
  terminal.focus();
  return () => {
    closed = true;
    observer.disconnect();
    waiting.abort();
    terminal.dispose();
  };
}

/** A terminal whose lines go to one device. A module of its own is loaded for it, so give it to `lazy`. */
export default function Terminal({ deviceId }: { readonly deviceId: string }) {
  const place = useRef<HTMLElement>(null);
  const secrets = useRef<Secrets>({ shown: false, last: undefined, print: () => {} });
  const [shown, setShown] = useState(false);
  useEffect(() => (place.current ? openTerminal(place.current, deviceId, secrets.current) : undefined), [deviceId]);
  const toggle = (): void => {
    const { current } = secrets;
    current.shown = !shown;
    setShown(current.shown);
    // What has just been masked is printed again, so that it need not be asked for again.
    if (current.shown && current.last !== undefined) current.print(current.last);
  };
  return (
    <Stack gap="xs">
      <Box p={8} bg={colours.background} style={{ borderRadius: 8, overflow: 'hidden' }}>
        <section ref={place} aria-label={t.terminal} />
      </Box>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={shown}
          leftSection={shown ? <IconEyeOff size={14} aria-hidden /> : <IconEye size={14} aria-hidden />}
          onClick={toggle}
        >
          {shown ? t.maskSecrets : t.showSecrets}
        </Button>
        <Muted small>{t.keysAndPasswordsThatModule(shown ? t.shown : t.masked)}</Muted>
      </Group>
    </Stack>
  );
}
