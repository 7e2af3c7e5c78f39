import { passwordCost } from '../core/auth/passwords.ts';

/** Passwords of tests are as good as any when they are checked in no time. */
export const cheapPasswords = { memory: 64, passes: 1, parallelism: 1 } as const;

Object.assign(passwordCost, cheapPasswords);
