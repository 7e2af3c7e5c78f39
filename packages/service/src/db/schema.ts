import type { Generated } from 'kysely';
import type {
  ActivationTable,
  BroadcastKeyTable,
  ChannelTable,
  ControlTable,
  ControlValueTable,
  DeviceNodeTable,
  MessageTable,
  ProcessTable,
  RetiredCertificateTable,
  SampleBatchTable,
  SampleTable,
  StreamTable,
  TelemetryTable,
} from './data-schema.ts';

/** A truth value, stored as an integer in both databases so that one query serves both. */
export type Flag = 0 | 1;

/** Epoch milliseconds. */
export type TimeMs = number;

export interface UserTable {
  id: string;
  /** Lower case; unique. */
  email: string;
  /** Prefix of product codes; lower case; unique. */
  username: string;
  password_hash: string;
  name_given: string;
  name_family: string;
  organisation: string;
  role: 'user' | 'customer' | 'admin';
  customer_id: string | null;
  avatar_id: string | null;
  created_at: TimeMs;
}

export interface TokenTable {
  id: string;
  user_id: string;
  title: string;
  /** SHA-256 of the bearer value, hex; unique. The value itself is never stored. */
  token_hash: string;
  /** Last 4 characters of the value, to recognise it by. */
  tail: string;
  client: string | null;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
}

export interface PlatformTable {
  id: string;
  code: string;
  title: string;
  description: string;
  /** 8 lower-case hex digits; unique when set. */
  part_id: string | null;
  manufacturer: string | null;
  avatar_id: string | null;
  /** The base edition product; set when the platform's first flavor is added. */
  product_id: string | null;
  created_at: TimeMs;
}

export interface FlavorTable {
  id: string;
  code: string;
  title: string;
  description: string;
  /** Needs the SDK to make bundles. */
  sdk: Flag;
  created_at: TimeMs;
}

export interface PlatformFlavorTable {
  platform_id: string;
  flavor_id: string;
}

export interface FirmwareTable {
  id: string;
  platform_id: string;
  flavor_id: string;
  label: string;
  version: string;
  version_key: string;
  created_at: TimeMs;
}

/** Columns of a stored file that belongs to a firmware or to a bundle. */
interface StoredFile {
  id: string;
  filename: string;
  type: string;
  version: string;
  mime: string;
  size: number;
  /** CRC16-CCITT in the module's variant. */
  crc: number;
  /** Key of the bytes in the blob store. */
  sha256: string;
  created_at: TimeMs;
}

export interface FirmwareFileTable extends StoredFile {
  firmware_id: string;
}

export interface ResourceTable extends StoredFile {
  bundle_id: string;
  exclude: Flag;
}

/** Spec: API-RULE-model-2. */
export interface ProductTable {
  id: string;
  /** As sent, upper case. */
  code: string;
  /** Full code `<OWNER>-<PLATFORM>_<NAME>`; unique. */
  product: string;
  title: string;
  meta: string;
  summary: string;
  description: string;
  user_id: string | null;
  customer_id: string | null;
  platform_id: string;
  flavor_id: string | null;
  publication: 'preview' | 'published' | 'archive';
  trashed: Flag;
  claimable: Flag;
  production: Flag;
  /** An edition product: what a device is activated to when it leaves the factory. */
  edition: Flag;
  part_number: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

export interface ProductUserTable {
  product_id: string;
  user_id: string;
  role: 'manager' | 'tester';
  created_at: TimeMs;
}

export interface ActivationTokenTable {
  id: string;
  product_id: string;
  user_id: string;
  token_hash: string;
  tail: string;
  uses_left: number;
  created_at: TimeMs;
}

/** Spec: API-RULE-model-3. */
export interface BundleTable {
  id: string;
  product_id: string;
  firmware_id: string;
  user_id: string;
  state: 'preview' | 'published' | 'archive';
  /** Unique in its product when set. */
  tag: 'alpha' | 'beta' | 'release' | null;
  version: string;
  version_key: string;
  description: string;
  remote_id: string | null;
  remote_product: string | null;
  created_at: TimeMs;
}

/** Spec: API-RULE-model-1. */
export interface DeviceTable {
  id: string;
  /** 40 lower-case hex digits; unique. */
  uuid: string;
  title: string;
  description: string;
  /** `AA:BB:CC:DD:EE:FF`; unique when set. */
  mac: string | null;
  bt_addr: string | null;
  platform_id: string;
  product_id: string;
  state: 'enabled' | 'active' | 'disabled';
  /** Who has blocked it, as long as it is disabled: its owner, or an administrator. */
  blocked_by: 'owner' | 'admin' | null;
  tag: 'alpha' | 'beta' | 'release' | null;
  user_id: string | null;
  /** SHA-256 of the provisioning token while it may still be used, hex. */
  provision_token_hash: string | null;
  provision_status: 'pending' | 'issued' | 'complete';
  /** SHA-256 of the issued certificate, lower-case hex. Another certificate is refused. */
  certificate_fingerprint: string | null;
  /** That of the certificate that will take its place once the device has acknowledged it; both are good until then. */
  next_fingerprint: string | null;
  /** The update whose fields the record shows: the newest one for the product it is activated to. */
  update_id: number | null;
  /** Version text that the device reported last. */
  bversion: string | null;
  ip: string | null;
  created_at: TimeMs;
  claimed_at: TimeMs | null;
  activated_at: TimeMs | null;
  last_seen_at: TimeMs | null;
  /** Where it is, in millionths of a degree; both are set or neither. */
  lat_e6: number | null;
  lon_e6: number | null;
  city: string | null;
  country: string | null;
}

/** One update of one device: who caused it, from what to what, and when it reached each state. */
export interface UpdateTable {
  id: Generated<number>;
  device_id: string;
  product_id: string;
  cause: 'device' | 'bridge';
  /** Both become null when the bundle is trashed; the version texts stay. */
  from_bundle_id: string | null;
  from_bversion: string | null;
  to_bundle_id: string | null;
  to_version: string;
  to_bversion: string;
  state: 'offered' | 'downloading' | 'installed' | 'done' | 'failed' | 'superseded';
  /** Result code of the module (Reference: wire 4.1), when it has sent one. */
  result: number | null;
  /** Why it failed. */
  reason: string | null;
  created_at: TimeMs;
  downloading_at: TimeMs | null;
  installed_at: TimeMs | null;
  finished_at: TimeMs | null;
}

export interface LogTable {
  id: string;
  type: string;
  level: 'info' | 'warning' | 'error';
  message: string;
  user_id: string | null;
  device_id: string | null;
  product_id: string | null;
  bundle_id: string | null;
  ip: string | null;
  client: string | null;
  /** JSON text. */
  data: string;
  created_at: TimeMs;
  /** Owner of the device when the row was written: who may read it, whoever owns the device later. */
  owner_id: string | null;
  /** Counted in metrics, but left out of lists that do not ask for the type. */
  quiet: Generated<Flag>;
}

/** How often the devices of one owner on one product have asked for an update within an hour. */
export interface PollTable {
  product_id: string;
  /** Owner of the devices then; empty for devices that nobody owns. */
  owner_id: string;
  /** Start of the hour. */
  at: TimeMs;
  polls: number;
}

/** An organisation that owns production products; its people are users. */
export interface CustomerTable {
  id: string;
  /** Prefix of product codes; lower case; unique. */
  name: string;
  title: string;
  created_at: TimeMs;
}

export interface ConnectorTable {
  id: string;
  product_id: string;
  title: string;
  /** Upper case; unique in its product. */
  code: string;
  type: 'webhook' | 'mqtt';
  /** JSON text, secrets included. */
  opts: string;
  state: 'ok' | 'failing';
  last_used_at: TimeMs | null;
  last_error: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

/** An event that a connector wants to be told of. */
export interface ConnectorEventTable {
  connector_id: string;
  product_id: string;
  event: string;
}

/** Something sent, or to be sent, through a connector. */
export interface DeliveryTable {
  id: string;
  connector_id: string;
  /** Type of the log row; `message` when a device sent it, `test` for a test call. */
  event: string;
  log_id: string | null;
  device_id: string | null;
  state: 'waiting' | 'done' | 'failed';
  /** How many times it was begun. */
  attempts: number;
  /** While it waits: when it is tried next. A process that begins it moves this beyond the end of its try. */
  due_at: TimeMs | null;
  /** HTTP status of the last answer. */
  status: number | null;
  error: string | null;
  created_at: TimeMs;
  finished_at: TimeMs | null;
}

/** Small values of the installation: certificate authority, first-run marks. */
export interface SettingTable {
  name: string;
  value: string;
}

/** Bytes that are durable in the blob store. A row exists before any record points at it. */
export interface BlobTable {
  sha256: string;
  size: number;
  created_at: TimeMs;
}

/** Columns of bytes that belong to a path or a person, not to a firmware or bundle. */
interface StoredBytes {
  id: string;
  mime: string;
  size: number;
  /** CRC16-CCITT in the module's variant. */
  crc: number;
  sha256: string;
  created_at: TimeMs;
}

/** A file in the store of a device or of a product: exactly one of the two is set. */
export interface FileTable extends StoredBytes {
  device_id: string | null;
  product_id: string | null;
  /** Segments with slashes between them; unique in its store. */
  path: string;
  /** Four-part version, when the uploader gave one. */
  version: string | null;
  updated_at: TimeMs;
}

/** The picture of a user or of a platform: exactly one of the two is set. */
export interface AvatarTable extends StoredBytes {
  user_id: string | null;
  platform_id: string | null;
}

export interface Schema {
  users: UserTable;
  tokens: TokenTable;
  platforms: PlatformTable;
  flavors: FlavorTable;
  platform_flavors: PlatformFlavorTable;
  firmwares: FirmwareTable;
  firmware_files: FirmwareFileTable;
  resources: ResourceTable;
  products: ProductTable;
  product_users: ProductUserTable;
  activation_tokens: ActivationTokenTable;
  bundles: BundleTable;
  devices: DeviceTable;
  updates: UpdateTable;
  logs: LogTable;
  polls: PollTable;
  customers: CustomerTable;
  connectors: ConnectorTable;
  connector_events: ConnectorEventTable;
  deliveries: DeliveryTable;
  settings: SettingTable;
  blobs: BlobTable;
  files: FileTable;
  avatars: AvatarTable;
  activations: ActivationTable;
  streams: StreamTable;
  samples: SampleTable;
  sample_batches: SampleBatchTable;
  controls: ControlTable;
  control_values: ControlValueTable;
  messages: MessageTable;
  processes: ProcessTable;
  channels: ChannelTable;
  telemetry: TelemetryTable;
  device_nodes: DeviceNodeTable;
  retired_certificates: RetiredCertificateTable;
  broadcast_keys: BroadcastKeyTable;
}
