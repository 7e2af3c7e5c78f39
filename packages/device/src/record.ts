import { type Store, Turns, writeEntry } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

const ClientRecord = Type.Object({
  /** Provisioning token, until the service has heard that the certificate is stored. */
  token: Type.Optional(Type.String()),
  /** The service has heard, but the token stays: on a line without TLS it goes on to identify the device. */
  acknowledged: Type.Optional(Type.Literal(true)),
  /** What the last update installed. */
  installed: Type.Optional(Type.Object({ bundleId: Type.String(), bversion: Type.String() })),
  /** The bundle that an update has begun to fetch and has not brought to its end. */
  attempt: Type.Optional(Type.Object({ bundleId: Type.String() })),
  /** The service has not yet heard from the restarted device. */
  unreported: Type.Optional(Type.Literal(true)),
});

/** What the client remembers without power. */
export type ClientRecord = Static<typeof ClientRecord>;

/** Devices in use have their record under this name. */
const storeName = 'link';

/** The client's record in the device's store: one entry, so that each change is whole or absent. */
export class RecordKeeper {
  readonly #store: Store;
  #record: ClientRecord = {};
  readonly #turns = new Turns();

  constructor(store: Store) {
    this.#store = store;
  }

  get record(): ClientRecord {
    return this.#record;
  }

  /** Reads what the store holds; to be called at each boot. */
  async load(): Promise<void> {
    const bytes = await this.#store.read(storeName);
    this.#record = (bytes && parse(Buffer.from(bytes).toString())) ?? {};
  }

  /** Resolves when the change is durable; only then does `record` show it. `undefined` takes a field away. */
  change(fields: { readonly [Field in keyof ClientRecord]: ClientRecord[Field] | undefined }): Promise<void> {
    return this.#turns.run(async () => {
      const record = Object.fromEntries(
        Object.entries({ ...this.#record, ...fields }).filter(([, value]) => value !== undefined),
      );
      await writeEntry(this.#store, storeName, Buffer.from(JSON.stringify(record)));
      this.#record = record;
    });
  }
}

/** `undefined` for what this code has not written: a device boots whatever its memory holds. */
function parse(text: string): ClientRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(ClientRecord, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a boot loader leaves that finds that an update does not run, and goes back: the device has `before` again, and
 * tells the service at its next boot that the update has failed, unless it `isSilent`. For a device that is switched off.
 */
export async function fallBack(
  store: Store,
  before: ClientRecord['installed'],
  { isSilent = false }: { readonly isSilent?: boolean } = {},
): Promise<void> {
  const keeper = new RecordKeeper(store);
  await keeper.load();
  const { installed } = keeper.record;
  const attempt = isSilent || !installed ? undefined : { bundleId: installed.bundleId };
  await keeper.change({ installed: before, unreported: undefined, attempt });
}
