export * from './build-app.ts';
export * from './each-database.ts';
export * from './fixtures.ts';
export * from './postgres-databases.ts';
export * from './postgres-server.ts';
