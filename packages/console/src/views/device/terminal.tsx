import '@xterm/xterm/css/xterm.css';
import { Box } from '@mantine/core';
import { Terminal as Xterm } from '@xterm/xterm';
import { useEffect, useRef } from 'react';
import { call } from '../../api/client.ts';
import { LineEditor } from './line-editor.ts';
import { failureText, responseText } from './responses.ts';

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

function openTerminal(place: HTMLElement, deviceId: string): () => void {
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
  terminal.textarea?.setAttribute('aria-label', 'Command line of the device');
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
      const text = await call('channel.command', input, waiting.signal).then(
        ({ value }) => responseText(value),
        failureText,
      );
      if (!closed) terminal.write(text);
    },
  });
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
  useEffect(() => (place.current ? openTerminal(place.current, deviceId) : undefined), [deviceId]);
  return (
    <Box p={8} bg={colours.background} style={{ borderRadius: 8, overflow: 'hidden' }}>
      <section ref={place} aria-label="Terminal" />
    </Box>
  );
}
