import { unwrap } from '@moorage/base';
import { loadPersonality } from '../personality/personality.ts';

/**
 * The neutral firmware with network time switched off, the one thing that a joined module asks of the world by itself:
 * for tests on real sockets, of which nothing may leave the machine. Those of network time switch it on.
 */
export const offlinePersonality = unwrap(loadPersonality(JSON.stringify({ variableDefaults: { 'ntp.enabled': '0' } })));
