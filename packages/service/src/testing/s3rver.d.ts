/** What the tests use of a server of objects that has no types of its own. */
declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly httpServer?: import('node:http').Server;
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
