import { randomBytes } from 'node:crypto';
import { randomText } from '../../engine/secrets.ts';

/** A new id of a login session: 32 lower-case hex digits. */
export const newClientId = (): string => randomBytes(16).toString('hex');

/** A password for a user who did not choose one: 20 letters and digits, 119 bits. */
export const newPassword = (): string => randomText(20);
