import type { Storage } from '../engine/db/storage.ts';
import { hashSecret } from '../engine/secrets.ts';
import { buildApp, type TestApp } from './build-app.ts';

/** In every text of the victim: a reply to another user that has it is a leak. */
export const secretMark = 'SECRETOFTHEVICTIM';

/** Two makers who may know nothing of each other, and their things. */
export interface AbuseWorld {
  readonly app: TestApp;
  /** Lines of the log at level error. */
  readonly errors: readonly string[];
  readonly attacker: string;
  readonly admin: string;
  /** Headers of the attacker's device. */
  readonly device: Readonly<Record<string, string>>;
  /** Ids of the attacker's things, of the victim's, and of nothing. */
  readonly ids: readonly string[];
  /** The victim's rows, as text. */
  victimRows(): Promise<string>;
  close(): Promise<void>;
}

async function thingsOf(app: TestApp, text: string, platform: Awaited<ReturnType<TestApp['make']['platform']>>) {
  const { make } = app;
  const user = await make.user({ organisation: text, name_given: text, name_family: text });
  const platform_id = platform.id;
  const firmware = await make.firmware({ platform_id, flavor_id: platform.flavor.id });
  const texts = { title: text, meta: text, summary: text, description: text };
  const product = await make.product({ platform_id, user_id: user.id, code: text, product: `X-${text}`, ...texts });
  const ours = { product_id: product.id, firmware_id: firmware.id, user_id: user.id };
  const bundle = await make.bundle({ ...ours, description: text });
  const published = await make.bundle({ ...ours, state: 'published', description: text });
  const resource = await make.resource(Buffer.from(text), { bundle_id: bundle.id, filename: text });
  const secret = `token-of-${text}`;
  const device = await make.device({
    platform_id,
    product_id: product.id,
    user_id: user.id,
    title: text,
    description: text,
    state: 'active',
    provision_token_hash: hashSecret(secret),
  });
  const capabilities = {
    name: text,
    version: '1',
    streams: { a: { type: 'number' } },
    controls: { b: { type: 'string' } },
    messages: { 'to-device': true, 'from-device': true },
  };
  await app.storage.db
    .insertInto('activations')
    .values({
      device_id: device.id,
      user_id: user.id,
      capabilities: JSON.stringify(capabilities),
      activated_at: app.clock.now(),
    })
    .execute();
  const records = [product, bundle, published, resource, device, user];
  return { user, device, secret, ids: [...records.map(({ id }) => id), device.uuid] };
}

/** Tables whose rows the attacker must not be able to change where they are the victim's. */
const watched = ['users', 'tokens', 'products', 'bundles', 'devices', 'activation_tokens', 'activations'] as const;

/** The service with everything in it that an attacker could want. */
export async function openAbuseWorld(storage: Storage): Promise<AbuseWorld> {
  const errors: string[] = [];
  const logStream = { write: (line: string) => void (line.includes('"level":50') && errors.push(line)) };
  // With headers for certificates, devices can be tried without TLS.
  const app = await buildApp(storage, { settings: { deviceInsecure: true }, logLevel: 'error', logStream });
  await app.service.devices.ready();
  const platform = await app.make.platform();
  const attacker = await thingsOf(app, 'attacker', platform);
  const victim = await thingsOf(app, secretMark, platform);
  const admin = await app.make.admin();
  const unknown = '00000000-0000-4000-8000-000000000000';
  return {
    app,
    errors,
    attacker: attacker.user.token,
    admin: admin.token,
    device: { 'x-device-uuid': attacker.device.uuid, 'x-device-token': attacker.secret },
    ids: [...attacker.ids, ...victim.ids, platform.id, platform.edition.id, unknown],
    async victimRows() {
      const kept: unknown[] = [];
      for (const table of watched) {
        const owner = table === 'users' ? 'id' : 'user_id';
        kept.push(await storage.db.selectFrom(table).selectAll().where(owner, '=', victim.user.id).execute());
      }
      kept.push(await storage.db.selectFrom('resources').selectAll().where('filename', '=', secretMark).execute());
      return JSON.stringify(kept);
    },
    close: () => app.service.close(),
  };
}
