import { memoryPercent } from '../device/memory.ts';
import type { Board } from './board.ts';

/** Spec: MOD-VAR-system.memory.usage. */
export const usedMemory = ({ flash, log, model, sessionLimits, streams, variables }: Board): number =>
  memoryPercent({
    ramBytes: model.ramBytes,
    files: flash.list().length,
    streams: streams.list().map(({ stream }) => (stream.type === 'FILE' ? 0 : stream.available())),
    lineBytes: sessionLimits.lineBytes,
    settingsBytes: variables.export().length,
    logBytes: log.keptBytes,
  });
