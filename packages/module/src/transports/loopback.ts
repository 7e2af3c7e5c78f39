import { isIP } from 'node:net';

/** Whether an address literal stays on this machine: 127.0.0.0/8, ::1, and the former inside IPv6. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  if (isIP(plain) === 4) return plain.startsWith('127.');
  return plain === '::1';
}
