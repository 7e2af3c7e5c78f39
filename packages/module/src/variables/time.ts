import { u32 } from './kinds.ts';
import { defineVariables } from './variable.ts';

const inUnit = (ms: number, option: string | undefined): number =>
  option === 'ms' || ms < 0 ? ms : Math.floor(ms / 1000);

/** Six fraction digits, as the firmware prints them; the clock knows three of them. */
const utcText = (epochMs: number): string => new Date(epochMs).toISOString().replace('Z', '000Z');

/** Spec: MOD-VAR-time.*. */
export const timeVariables = defineVariables([
  {
    name: 'time.last_set',
    shortcut: 'ti l',
    kind: { type: 'int', min: -1, max: 4_294_967_295 },
    default: -1,
    access: 'get',
    evidence: 'documented',
    options: ['ms'],
    read: ({ sources }, option) => inUnit(sources.rtc.sinceSetMs(), option),
    help: 'Seconds since the clock was set; -1 when it never was',
  },
  {
    name: 'time.rtc',
    shortcut: 'ti r',
    kind: u32(),
    default: 0,
    evidence: 'spec',
    options: ['ms', 'utc'],
    read: ({ sources }, option) =>
      option === 'utc' ? utcText(sources.rtc.nowMs()) : inUnit(sources.rtc.nowMs(), option),
    write: ({ sources }, value) => sources.rtc.set(Number(value) * 1000),
    help: 'Clock in seconds since 1970',
  },
  {
    name: 'time.uptime',
    shortcut: 'ti u',
    kind: u32(),
    default: 0,
    access: 'get',
    evidence: 'documented',
    options: ['ms'],
    read: ({ sources }, option) => inUnit(sources.rtc.uptimeMs(), option),
    help: 'Seconds since the module started',
  },
  {
    name: 'time.zone',
    shortcut: 'ti z',
    kind: { type: 'zone' },
    default: '0',
    evidence: 'documented',
    help: 'Hours from UTC',
  },
]);
