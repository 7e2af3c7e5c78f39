import manifest from '../../../package.json' with { type: 'json' };

/** Version of the service, as its package has it. */
export const { version } = manifest;
