export * from '../db/logs.ts';
