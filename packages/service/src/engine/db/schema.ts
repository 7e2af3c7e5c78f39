import type {
  AlertAddressTable,
  AlertDeviceTable,
  AlertMailTable,
  AlertRuleTable,
  AlertTable,
} from './tables/alerts.ts';
import type { AttributeTable, LabelTable } from './tables/attributes.ts';
import type { AuditChainTable, AuditQueueTable, AuditTable } from './tables/audit.ts';
import type { ArtifactHeaderTable, BundleTable, ResourceTable } from './tables/bundles.ts';
import type {
  BroadcastKeyTable,
  ChannelTable,
  DeviceNodeTable,
  ProcessTable,
  TelemetryTable,
} from './tables/channel.ts';
import type { BusMessageTable, BusPositionTable, WorkTable } from './tables/cluster.ts';
import type { AnnouncementTable, ConnectorEventTable, ConnectorTable, DeliveryTable } from './tables/connectors.ts';
import type {
  ActivationTable,
  ControlTable,
  ControlValueTable,
  MessageTable,
  SampleBatchTable,
  SampleTable,
  StreamTable,
} from './tables/data.ts';
import type { DeviceCountTable, DeviceTable, RetiredCertificateTable, UpdateTable } from './tables/devices.ts';
import type {
  DoorDeviceTable,
  DoorKeyTable,
  DoorTokenTable,
  DoorUpdateTable,
  DoorWaitingTable,
  ProductDoorsTable,
  UpdateMessageTable,
} from './tables/doors.ts';
import type { AvatarTable, BlobTable, FileTable } from './tables/files.ts';
import type {
  ExecutionTable,
  FleetSettingsTable,
  FreezeTable,
  PinTable,
  RehearsalTable,
  RehearsalTurnTable,
  RolloutCountTable,
  RolloutTable,
  SegmentTable,
} from './tables/fleet.ts';
import type { AuthorityTable } from './tables/identity.ts';
import type { LogTable, PollTable } from './tables/logs.ts';
import type { PasskeyChallengeTable, PasskeyTable } from './tables/passkeys.ts';
import type {
  AttemptTable,
  ChallengeTable,
  CustomerInvitationTable,
  CustomerTable,
  FoundModuleTable,
  InvitationTable,
  MailLinkTable,
  RecoveryCodeTable,
  SavedViewTable,
  TokenTable,
  TotpTable,
  UserTable,
} from './tables/people.ts';
import type {
  CatalogueGrantTable,
  FirmwareFileTable,
  FirmwareTable,
  FlavorTable,
  PlatformFlavorTable,
  PlatformTable,
} from './tables/platforms.ts';
import type { ActivationTokenTable, ProductTable, ProductUserTable } from './tables/products.ts';
import type { SettingTable } from './tables/settings.ts';
import type { SsoAttemptTable, SsoLinkTable, SsoSessionTable } from './tables/sso.ts';

export type * from './tables/alerts.ts';
export type * from './tables/attributes.ts';
export type * from './tables/audit.ts';
export type * from './tables/bundles.ts';
export type * from './tables/channel.ts';
export type * from './tables/cluster.ts';
export type { Flag, TimeMs } from './tables/columns.ts';
export type * from './tables/connectors.ts';
export type * from './tables/data.ts';
export type * from './tables/devices.ts';
export type * from './tables/doors.ts';
export type * from './tables/files.ts';
export type * from './tables/fleet.ts';
export type * from './tables/identity.ts';
export type * from './tables/logs.ts';
export type * from './tables/passkeys.ts';
export type * from './tables/people.ts';
export type * from './tables/platforms.ts';
export type * from './tables/products.ts';
export type * from './tables/settings.ts';
export type * from './tables/sso.ts';

/** The tables of the database by their names. */
export interface Schema {
  users: UserTable;
  tokens: TokenTable;
  totp: TotpTable;
  recovery_codes: RecoveryCodeTable;
  challenges: ChallengeTable;
  platforms: PlatformTable;
  flavors: FlavorTable;
  platform_flavors: PlatformFlavorTable;
  catalogue_grants: CatalogueGrantTable;
  firmwares: FirmwareTable;
  firmware_files: FirmwareFileTable;
  resources: ResourceTable;
  artifact_headers: ArtifactHeaderTable;
  products: ProductTable;
  product_users: ProductUserTable;
  activation_tokens: ActivationTokenTable;
  bundles: BundleTable;
  devices: DeviceTable;
  count_devices: DeviceCountTable;
  updates: UpdateTable;
  product_doors: ProductDoorsTable;
  door_tokens: DoorTokenTable;
  door_devices: DoorDeviceTable;
  door_keys: DoorKeyTable;
  door_waiting: DoorWaitingTable;
  door_updates: DoorUpdateTable;
  update_messages: UpdateMessageTable;
  attributes: AttributeTable;
  labels: LabelTable;
  segments: SegmentTable;
  alert_rules: AlertRuleTable;
  alerts: AlertTable;
  alert_devices: AlertDeviceTable;
  alert_addresses: AlertAddressTable;
  alert_mails: AlertMailTable;
  pins: PinTable;
  freezes: FreezeTable;
  fleet_settings: FleetSettingsTable;
  rollouts: RolloutTable;
  executions: ExecutionTable;
  rollout_counts: RolloutCountTable;
  rehearsals: RehearsalTable;
  rehearsal_turns: RehearsalTurnTable;
  logs: LogTable;
  polls: PollTable;
  audit: AuditTable;
  audit_queue: AuditQueueTable;
  audit_chain: AuditChainTable;
  customers: CustomerTable;
  customer_invitations: CustomerInvitationTable;
  connectors: ConnectorTable;
  connector_events: ConnectorEventTable;
  deliveries: DeliveryTable;
  announcements: AnnouncementTable;
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
  bus_position: BusPositionTable;
  bus_messages: BusMessageTable;
  work: WorkTable;
  channels: ChannelTable;
  telemetry: TelemetryTable;
  device_nodes: DeviceNodeTable;
  retired_certificates: RetiredCertificateTable;
  broadcast_keys: BroadcastKeyTable;
  authorities: AuthorityTable;
  attempts: AttemptTable;
  invitations: InvitationTable;
  mail_links: MailLinkTable;
  passkeys: PasskeyTable;
  passkey_challenges: PasskeyChallengeTable;
  sso_attempts: SsoAttemptTable;
  sso_links: SsoLinkTable;
  sso_sessions: SsoSessionTable;
  saved_views: SavedViewTable;
  found_modules: FoundModuleTable;
}
