export * from './base64.ts';
export * from './clock.ts';
export * from './crc16.ts';
export * from './ids.ts';
export * from './result.ts';
export * from './transition.ts';
export * from './version.ts';
