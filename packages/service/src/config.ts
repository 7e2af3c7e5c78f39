/** Settings of the service, resolved from flags, environment and file. Sizes in bytes, times in milliseconds. */
export interface Settings {
  readonly dataDir: string;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  /** `file:DIR` (later `s3://…`). */
  readonly blobs: string;
  /** Plain HTTP on the device listener, with uuid and token headers; for development only. */
  readonly deviceInsecure: boolean;
  readonly adminEmail: string;
  /** When absent, the first run makes one and hands it to the caller to print. */
  readonly adminPassword: string | undefined;
}
