import { describe, expect, test } from 'vitest';
import { neutralPersonality } from '../personality/personality.ts';
import { Log, noticeTime, type PrintLevel } from './log.ts';

function rig(level: PrintLevel = 'all') {
  const state = { level, time: '' };
  const templates: Readonly<Record<string, string>> = {
    initialized: '[Ready]',
    stream_opened: '[@tOpened: @h]',
    stream_opening: '[@tOpening: @c]',
    wlan_joining: '[@tAssociating to @s]',
    softap_joined: '[@tAssociated: @m]',
    stream_failed: '',
    sleep: '@@t@x@h',
  };
  const log = new Log(
    { printLevel: () => state.level, template: (notice) => templates[notice], timePrefix: () => state.time },
    neutralPersonality,
  );
  const printed: string[] = [];
  const detach = log.attach((line) => printed.push(line));
  return { log, printed, detach, state };
}

describe('print level', () => {
  // Spec: MOD-LINE-print-level, MOD-VAR-system.print_level.
  test.each([
    ['0', []],
    ['1', ['[Ready]']],
    ['2', ['Rebooting', 'free text']],
    ['3', ['Rebooting', '[Ready]', 'free text']],
    ['all', ['Rebooting', '[Ready]', 'free text']],
  ] as const)('%s lets %j through, and the ring keeps all', (level, expected) => {
    const { log, printed } = rig(level);
    log.say('rebooting');
    log.notice('initialized');
    log.line('free text');
    expect(printed).toEqual(expected);
    expect(log.entries()).toEqual(['Rebooting', '[Ready]', 'free text']);
  });

  test('a change of the level acts at once', () => {
    const { log, printed, state } = rig('0');
    log.line('silent');
    state.level = 'all';
    log.line('heard');
    expect(printed).toEqual(['heard']);
  });
});

describe('notices', () => {
  // Spec: MOD-EVENT-2, MOD-VAR-system.msg.
  test('tags are replaced; without a set clock the time is left out', () => {
    const { log, printed, state } = rig();
    log.notice('stream_opened', { handle: 0 });
    log.notice('stream_opening', { connection: 'host.example:80' });
    state.time = '2014-04-23 | 19:40:23: ';
    log.notice('wlan_joining', { ssid: 'my @h net' });
    log.notice('softap_joined', { mac: 'A0:02:DC:09:A5:EE' });
    log.notice('initialized');
    expect(printed).toEqual([
      '[Opened: 0]',
      '[Opening: host.example:80]',
      '[2014-04-23 | 19:40:23: Associating to my @h net]',
      '[2014-04-23 | 19:40:23: Associated: A0:02:DC:09:A5:EE]',
      '[Ready]',
    ]);
  });

  test('an emptied template prints nothing, unknown tags stay, a tag without a value vanishes', () => {
    const { log, printed } = rig();
    log.notice('stream_failed');
    log.notice('sleep');
    expect(printed).toEqual(['@@x']);
  });

  test('an unknown notice is a mistake', () => {
    expect(() => rig().log.notice('bogus')).toThrow('There is no notice "bogus"');
  });

  test('the time of a notice follows the zone', () => {
    const at = Date.UTC(2014, 3, 23, 19, 40, 23, 999);
    expect(noticeTime(at, 0)).toBe('2014-04-23 | 19:40:23: ');
    expect(noticeTime(at, -270)).toBe('2014-04-23 | 15:10:23: ');
    expect(noticeTime(at, 330)).toBe('2014-04-24 | 01:10:23: ');
  });
});

describe('sinks and ring', () => {
  test('every sink gets a line until it is detached', () => {
    const { log, printed, detach } = rig();
    const other: string[] = [];
    const detachOther = log.attach((line, kind) => other.push(`${kind} ${line}`));
    log.line('a');
    detach();
    detach();
    log.notice('initialized');
    detachOther();
    log.line('b');
    expect(printed).toEqual(['a']);
    expect(other).toEqual(['progress a', 'notice [Ready]']);
  });

  // Spec: MOD-LIMIT-log.
  test('the ring holds the newest 2,048 bytes', () => {
    const { log } = rig('0');
    for (let number = 0; number < 300; number++) log.line(`line ${String(number).padStart(3, '0')}`);
    expect(log.entries()).toHaveLength(256);
    expect(log.entries()[0]).toBe('line 044');
    log.line('\u00e9'.repeat(1024));
    expect(log.entries()).toHaveLength(1);
    log.line('x'.repeat(5000));
    expect(log.entries()).toEqual(['x'.repeat(2048)]);
    log.line('next');
    expect(log.entries()).toEqual(['next']);
  });
});
