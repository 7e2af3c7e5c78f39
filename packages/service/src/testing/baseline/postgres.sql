create table if not exists "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
create table if not exists "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
with set_timeout as (
 select set_config('lock_timeout', '3600000', true) as config_val
 )
 select pg_advisory_lock(3853314791062309107)
 from set_timeout;
create table "settings" ("name" text not null, "value" text not null, constraint "settings_key" primary key ("name"));
create table "blobs" ("sha256" text not null, "size" bigint not null, "created_at" bigint not null, constraint "blobs_key" primary key ("sha256"));
create table "users" ("id" text not null, "email" text not null, "username" text not null, "password_hash" text not null, "name_given" text not null, "name_family" text not null, "organisation" text not null, "role" text not null, "customer_id" text, "avatar_id" text, "created_at" bigint not null, constraint "users_key" primary key ("id"));
create table "tokens" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "title" text not null, "token_hash" text not null, "tail" text not null, "client" text, "created_at" bigint not null, "last_used_at" bigint, constraint "tokens_key" primary key ("id"));
create table "platforms" ("id" text not null, "code" text not null, "title" text not null, "description" text not null, "part_id" text, "manufacturer" text, "avatar_id" text, "product_id" text, "created_at" bigint not null, constraint "platforms_key" primary key ("id"));
create table "flavors" ("id" text not null, "code" text not null, "title" text not null, "description" text not null, "sdk" bigint not null, "created_at" bigint not null, constraint "flavors_key" primary key ("id"));
create table "platform_flavors" ("platform_id" text not null references "platforms" ("id") on delete cascade, "flavor_id" text not null references "flavors" ("id") on delete cascade, constraint "platform_flavors_key" primary key ("platform_id", "flavor_id"));
create table "firmwares" ("id" text not null, "platform_id" text not null references "platforms" ("id") on delete restrict, "flavor_id" text not null references "flavors" ("id") on delete restrict, "label" text not null, "version" text not null, "version_key" text not null, "created_at" bigint not null, constraint "firmwares_key" primary key ("id"));
create table "firmware_files" ("id" text not null, "firmware_id" text not null references "firmwares" ("id") on delete cascade, "filename" text not null, "type" text not null, "version" text not null, "mime" text not null, "size" bigint not null, "crc" bigint not null, "sha256" text not null references "blobs" ("sha256") on delete restrict, "created_at" bigint not null, constraint "firmware_files_key" primary key ("id"));
create table "products" ("id" text not null, "code" text not null, "product" text not null, "title" text not null, "meta" text not null, "summary" text not null, "description" text not null, "user_id" text references "users" ("id") on delete restrict, "customer_id" text, "platform_id" text not null references "platforms" ("id") on delete restrict, "flavor_id" text references "flavors" ("id") on delete restrict, "publication" text not null, "trashed" bigint not null, "claimable" bigint not null, "production" bigint not null, "edition" bigint not null, "part_number" text, "created_at" bigint not null, "updated_at" bigint not null, constraint "products_key" primary key ("id"));
create table "product_users" ("product_id" text not null references "products" ("id") on delete cascade, "user_id" text not null references "users" ("id") on delete cascade, "role" text not null, "created_at" bigint not null, constraint "product_users_key" primary key ("product_id", "user_id"));
create table "activation_tokens" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "user_id" text not null references "users" ("id") on delete cascade, "token_hash" text not null, "tail" text not null, "uses_left" bigint not null, "created_at" bigint not null, constraint "activation_tokens_key" primary key ("id"));
create table "bundles" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "firmware_id" text not null references "firmwares" ("id") on delete restrict, "user_id" text not null references "users" ("id") on delete restrict, "state" text not null, "tag" text, "version" text not null, "version_key" text not null, "description" text not null, "remote_id" text, "remote_product" text, "created_at" bigint not null, constraint "bundles_key" primary key ("id"));
create table "resources" ("id" text not null, "bundle_id" text not null references "bundles" ("id") on delete cascade, "exclude" bigint not null, "filename" text not null, "type" text not null, "version" text not null, "mime" text not null, "size" bigint not null, "crc" bigint not null, "sha256" text not null references "blobs" ("sha256") on delete restrict, "created_at" bigint not null, constraint "resources_key" primary key ("id"));
create table "devices" ("id" text not null, "uuid" text not null, "title" text not null, "description" text not null, "mac" text, "bt_addr" text, "platform_id" text not null references "platforms" ("id") on delete restrict, "product_id" text not null references "products" ("id") on delete restrict, "state" text not null, "tag" text, "user_id" text references "users" ("id") on delete set null, "provision_token_hash" text, "provision_status" text not null, "certificate_fingerprint" text, "update_id" bigint, "bversion" text, "ip" text, "created_at" bigint not null, "claimed_at" bigint, "activated_at" bigint, "last_seen_at" bigint, constraint "devices_key" primary key ("id"));
create table "updates" ("id" bigint generated always as identity primary key, "device_id" text not null references "devices" ("id") on delete cascade, "product_id" text not null references "products" ("id") on delete cascade, "cause" text not null, "from_bundle_id" text references "bundles" ("id") on delete set null, "from_bversion" text, "to_bundle_id" text references "bundles" ("id") on delete set null, "to_version" text not null, "to_bversion" text not null, "state" text not null, "result" bigint, "reason" text, "created_at" bigint not null, "downloading_at" bigint, "installed_at" bigint, "finished_at" bigint);
create table "logs" ("id" text not null, "type" text not null, "level" text not null, "message" text not null, "user_id" text, "device_id" text, "product_id" text, "bundle_id" text, "ip" text, "client" text, "data" text not null, "created_at" bigint not null, constraint "logs_key" primary key ("id"));
create unique index "users_email" on "users" ("email");
create unique index "users_username" on "users" ("username");
create unique index "tokens_token_hash" on "tokens" ("token_hash");
create unique index "platforms_code" on "platforms" ("code");
create unique index "platforms_part_id" on "platforms" ("part_id");
create unique index "flavors_code" on "flavors" ("code");
create unique index "firmwares_platform_id_flavor_id_label_version" on "firmwares" ("platform_id", "flavor_id", "label", "version");
create unique index "products_product" on "products" ("product");
create unique index "activation_tokens_token_hash" on "activation_tokens" ("token_hash");
create unique index "bundles_product_id_version" on "bundles" ("product_id", "version");
create unique index "bundles_product_id_tag" on "bundles" ("product_id", "tag") where "tag" is not null;
create unique index "devices_uuid" on "devices" ("uuid");
create unique index "devices_mac" on "devices" ("mac");
create index "tokens_user_id_created_at" on "tokens" ("user_id", "created_at");
create index "platform_flavors_flavor_id" on "platform_flavors" ("flavor_id");
create index "firmwares_flavor_id" on "firmwares" ("flavor_id");
create index "firmware_files_firmware_id" on "firmware_files" ("firmware_id");
create index "firmware_files_sha256" on "firmware_files" ("sha256");
create index "products_user_id" on "products" ("user_id");
create index "products_platform_id" on "products" ("platform_id");
create index "products_flavor_id" on "products" ("flavor_id");
create index "products_created_at_id" on "products" ("created_at", "id");
create index "product_users_user_id" on "product_users" ("user_id");
create index "activation_tokens_product_id" on "activation_tokens" ("product_id");
create index "activation_tokens_user_id" on "activation_tokens" ("user_id");
create index "bundles_product_id_version_key" on "bundles" ("product_id", "version_key");
create index "bundles_product_id_created_at" on "bundles" ("product_id", "created_at");
create index "bundles_firmware_id" on "bundles" ("firmware_id");
create index "bundles_user_id" on "bundles" ("user_id");
create index "resources_bundle_id" on "resources" ("bundle_id");
create index "resources_sha256" on "resources" ("sha256");
create index "devices_bt_addr" on "devices" ("bt_addr");
create index "devices_user_id_created_at" on "devices" ("user_id", "created_at");
create index "devices_product_id_created_at" on "devices" ("product_id", "created_at");
create index "devices_platform_id" on "devices" ("platform_id");
create index "devices_created_at_id" on "devices" ("created_at", "id");
create index "devices_provision_token_hash" on "devices" ("provision_token_hash");
create index "devices_update_id" on "devices" ("update_id");
create index "updates_device_id" on "updates" ("device_id");
create index "updates_product_id" on "updates" ("product_id");
create index "updates_from_bundle_id" on "updates" ("from_bundle_id");
create index "updates_to_bundle_id_state" on "updates" ("to_bundle_id", "state");
create index "logs_created_at_id" on "logs" ("created_at", "id");
create index "logs_user_id_created_at" on "logs" ("user_id", "created_at");
create index "logs_device_id_created_at" on "logs" ("device_id", "created_at");
create index "logs_product_id_created_at" on "logs" ("product_id", "created_at");
create index "logs_type_created_at" on "logs" ("type", "created_at");
create index "blobs_created_at" on "blobs" ("created_at");
create table "files" ("id" text not null, "device_id" text references "devices" ("id") on delete cascade, "product_id" text references "products" ("id") on delete cascade, "path" text collate "C" not null, "version" text, "mime" text not null, "size" bigint not null, "crc" bigint not null, "sha256" text not null references "blobs" ("sha256") on delete restrict, "created_at" bigint not null, "updated_at" bigint not null, constraint "files_key" primary key ("id"));
create table "avatars" ("id" text not null, "user_id" text references "users" ("id") on delete cascade, "platform_id" text references "platforms" ("id") on delete cascade, "mime" text not null, "size" bigint not null, "crc" bigint not null, "sha256" text not null references "blobs" ("sha256") on delete restrict, "created_at" bigint not null, constraint "avatars_key" primary key ("id"));
create unique index "files_device_id_path" on "files" ("device_id", "path") where "device_id" is not null;
create unique index "files_product_id_path" on "files" ("product_id", "path") where "product_id" is not null;
create unique index "avatars_user_id" on "avatars" ("user_id") where "user_id" is not null;
create unique index "avatars_platform_id" on "avatars" ("platform_id") where "platform_id" is not null;
create index "files_sha256" on "files" ("sha256");
create index "avatars_sha256" on "avatars" ("sha256");
create table "customers" ("id" text not null primary key, "name" text not null, "title" text not null, "created_at" bigint not null);
create unique index "customers_name" on "customers" ("name");
create table "connectors" ("id" text not null primary key, "product_id" text not null references "products" ("id") on delete cascade, "title" text not null, "code" text not null, "type" text not null, "opts" text not null, "state" text not null, "last_used_at" bigint, "last_error" text, "created_at" bigint not null, "updated_at" bigint not null);
create unique index "connectors_product_id_code" on "connectors" ("product_id", "code");
create table "connector_events" ("connector_id" text not null references "connectors" ("id") on delete cascade, "product_id" text not null, "event" text not null, constraint "connector_events_key" primary key ("connector_id", "event"));
create table "deliveries" ("id" text not null primary key, "connector_id" text not null references "connectors" ("id") on delete cascade, "event" text not null, "log_id" text, "device_id" text, "state" text not null, "attempts" bigint not null, "due_at" bigint, "status" bigint, "error" text, "created_at" bigint not null, "finished_at" bigint);
alter table "devices" add column "lat_e6" bigint;
alter table "devices" add column "lon_e6" bigint;
alter table "devices" add column "city" text;
alter table "devices" add column "country" text;
create index "devices_located" on "devices" ("created_at", "id") where "lat_e6" is not null;
alter table "logs" add column "owner_id" text;
alter table "logs" add column "quiet" bigint default 0 not null;
update logs set owner_id = (select user_id from devices where devices.id = logs.device_id)
 where device_id is not null;
update logs set quiet = 1 where type in ('ota.check', 'ota.none');
drop index "logs_user_id_created_at";
drop index "logs_product_id_created_at";
drop index "logs_created_at_id";
create index "connector_events_product_id_event" on "connector_events" ("product_id", "event");
create index "deliveries_connector_id_created_at" on "deliveries" ("connector_id", "created_at");
create index "deliveries_due_at" on "deliveries" ("due_at");
create index "deliveries_finished_at" on "deliveries" ("finished_at");
create index "products_customer_id" on "products" ("customer_id");
create index "users_customer_id" on "users" ("customer_id");
create index "logs_level_created_at" on "logs" ("level", "created_at");
create index "logs_created_at_type_quiet" on "logs" ("created_at", "type", "quiet");
create index "logs_user_id_quiet_created_at_type" on "logs" ("user_id", "quiet", "created_at", "type");
create index "logs_owner_id_quiet_created_at_type" on "logs" ("owner_id", "quiet", "created_at", "type");
create index "logs_product_id_quiet_created_at_type" on "logs" ("product_id", "quiet", "created_at", "type");
create table "polls" ("product_id" text not null, "owner_id" text not null, "at" bigint not null, "polls" bigint not null, constraint "polls_key" primary key ("product_id", "owner_id", "at"));
create index "polls_owner_id_at" on "polls" ("owner_id", "at");
create index "polls_at" on "polls" ("at");
create index "devices_product_id_user_id" on "devices" ("product_id", "user_id");
create index "updates_state" on "updates" ("state");
create index "devices_disabled" on "devices" ("created_at", "id") where "state" = 'disabled';
create table "activations" ("device_id" text not null references "devices" ("id") on delete cascade, "user_id" text not null references "users" ("id") on delete cascade, "capabilities" text not null, "activated_at" bigint not null, constraint "activations_key" primary key ("device_id"));
create table "streams" ("id" bigint generated always as identity primary key, "device_id" text not null references "devices" ("id") on delete cascade, "name" text collate "C" not null);
create table "sample_batches" ("device_id" text not null references "devices" ("id") on delete cascade, "batch" text not null, "created_at" bigint not null, constraint "sample_batches_key" primary key ("device_id", "batch"));
create table "controls" ("device_id" text not null references "devices" ("id") on delete cascade, "name" text collate "C" not null, "value" text not null, "at" bigint not null, "source" text not null, "delivered" bigint not null, constraint "controls_key" primary key ("device_id", "name"));
create table "control_values" ("id" bigint generated always as identity primary key, "device_id" text not null references "devices" ("id") on delete cascade, "name" text collate "C" not null, "value" text not null, "at" bigint not null, "source" text not null, "user_id" text references "users" ("id") on delete set null);
create table "messages" ("seq" bigint generated always as identity primary key, "id" text not null, "device_id" text not null references "devices" ("id") on delete cascade, "box" text not null, "headers" text not null, "data" text not null, "length" bigint not null, "created_at" bigint not null);
create table "samples" ("stream_id" bigint not null references "streams" ("id") on delete cascade, "at" bigint not null, "seq" bigint not null, "number" double precision, "text" text, constraint "samples_key" primary key ("stream_id", "at", "seq"));
create unique index "streams_device_id_name" on "streams" ("device_id", "name");
create index "sample_batches_created_at" on "sample_batches" ("created_at");
create index "control_values_device_id_name_at" on "control_values" ("device_id", "name", "at");
create index "control_values_at" on "control_values" ("at");
create unique index "messages_id" on "messages" ("id");
create index "messages_device_id_box_seq" on "messages" ("device_id", "box", "seq");
create index "messages_created_at" on "messages" ("created_at");
create table "processes" ("id" text not null, "seen_at" bigint not null, constraint "processes_key" primary key ("id"));
create table "channels" ("device_id" text not null references "devices" ("id") on delete cascade, "process_id" text not null, "session" text not null, "address" text not null, "connected_at" bigint not null, constraint "channels_key" primary key ("device_id"));
create table "telemetry" ("device_id" text not null references "devices" ("id") on delete cascade, "at" bigint not null, "data" text not null, constraint "telemetry_key" primary key ("device_id"));
create table "device_nodes" ("device_id" text not null references "devices" ("id") on delete cascade, "id" text not null, "title" text, constraint "device_nodes_key" primary key ("device_id", "id"));
create index "channels_process_id" on "channels" ("process_id");
create table "retired_certificates" ("fingerprint" text not null, "device_id" text not null references "devices" ("id") on delete cascade, "retired_at" bigint not null, "seen_at" bigint, constraint "retired_certificates_key" primary key ("fingerprint"));
create table "broadcast_keys" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "title" text not null, "key_hash" text not null, "tail" text not null, "created_at" bigint not null, "last_used_at" bigint, constraint "broadcast_keys_key" primary key ("id"));
alter table "devices" add column "next_fingerprint" text;
create index "retired_certificates_device_id" on "retired_certificates" ("device_id");
create unique index "broadcast_keys_key_hash" on "broadcast_keys" ("key_hash");
create index "broadcast_keys_user_id_created_at" on "broadcast_keys" ("user_id", "created_at");
alter table "device_nodes" add column "seen_at" bigint default 0 not null;
alter table "devices" add column "blocked_by" text;
create table "authorities" ("fingerprint" text not null, "certificate" text not null, "private_key" text not null, "state" text not null, "created_at" bigint not null, "changed_at" bigint not null, constraint "authorities_key" primary key ("fingerprint"));
create table "attempts" ("bucket" text not null, "times" text not null, "expires_at" bigint not null, constraint "attempts_key" primary key ("bucket"));
create table "invitations" ("id" text not null, "token_hash" text not null, "tail" text not null, "email" text, "role" text not null, "created_by" text references "users" ("id") on delete set null, "created_at" bigint not null, "expires_at" bigint not null, "used_at" bigint, "used_by" text references "users" ("id") on delete set null, constraint "invitations_key" primary key ("id"));
alter table "devices" add column "authority" text;
alter table "devices" add column "next_authority" text;
create index "attempts_expires_at" on "attempts" ("expires_at");
create unique index "invitations_token_hash" on "invitations" ("token_hash");
create index "invitations_created_at" on "invitations" ("created_at");
alter table "devices" add column "vendor_files" bigint default 0 not null;
alter table "devices" add column "mac_reported" bigint default 0 not null;
create table "bus_position" ("id" bigint not null, "last" bigint not null, constraint "bus_position_key" primary key ("id"));
create table "bus_messages" ("id" bigint not null, "at" bigint not null, "sender" text not null, "topic" text not null, "message" text not null, constraint "bus_messages_key" primary key ("id"));
create table "work" ("name" text not null, "holder" text, "fence" bigint not null, "done_at" bigint not null, constraint "work_key" primary key ("name"));
alter table "processes" add column "beats" bigint default 0 not null;
create table "attributes" ("device_id" text not null references "devices" ("id") on delete cascade, "name" text collate "C" not null, "value" text collate "C" not null, "number" double precision, "version_key" text collate "C", "since" bigint not null, constraint "attributes_key" primary key ("device_id", "name"));
create table "labels" ("device_id" text not null references "devices" ("id") on delete cascade, "name" text collate "C" not null, "value" text collate "C" not null, constraint "labels_key" primary key ("device_id", "name"));
create index "attributes_name_value_device_id" on "attributes" ("name", "value", "device_id");
create index "attributes_name_number_device_id" on "attributes" ("name", "number", "device_id");
create index "attributes_name_version_key_device_id" on "attributes" ("name", "version_key", "device_id");
create index "labels_name_value_device_id" on "labels" ("name", "value", "device_id");
create table "segments" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "title" text not null, "filter" text not null, "created_at" bigint not null, "updated_at" bigint not null, constraint "segments_key" primary key ("id"));
create index "segments_product_id_created_at" on "segments" ("product_id", "created_at");
create table "pins" ("device_id" text not null references "devices" ("id") on delete cascade, "bundle_id" text not null references "bundles" ("id") on delete cascade, "reason" text not null, "until" bigint, "created_at" bigint not null, constraint "pins_key" primary key ("device_id"));
create table "freezes" ("product_id" text not null references "products" ("id") on delete cascade, "reason" text not null, "until" bigint, "created_at" bigint not null, constraint "freezes_key" primary key ("product_id"));
create table "rollouts" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "bundle_id" text not null references "bundles" ("id") on delete cascade, "title" text not null, "filter" text, "priority" bigint not null, "settings" text not null, "state" text not null, "holds" bigint not null, "reason" text, "stage" bigint not null, "gate_at" bigint, "pace_from" bigint not null, "pace_count" bigint not null, "created_at" bigint not null, "started_at" bigint, "finished_at" bigint, constraint "rollouts_key" primary key ("id"));
create table "executions" ("rollout_id" text not null references "rollouts" ("id") on delete cascade, "device_id" text not null references "devices" ("id") on delete cascade, "bundle_id" text not null references "bundles" ("id") on delete cascade, "stage" bigint not null, "state" text not null, "kind" text, "attempt" bigint not null, "update_id" bigint, "due_at" bigint, "changed_at" bigint not null, constraint "executions_key" primary key ("rollout_id", "device_id"));
create table "rollout_counts" ("rollout_id" text not null references "rollouts" ("id") on delete cascade, "stage" bigint not null, "state" text not null, "kind" text not null, "n" bigint not null, constraint "rollout_counts_key" primary key ("rollout_id", "stage", "state", "kind"));
create index "rollouts_product_id_created_at" on "rollouts" ("product_id", "created_at");
create index "rollouts_gate_at" on "rollouts" ("gate_at") where "gate_at" is not null;
create index "executions_device_id" on "executions" ("device_id");
create index "executions_rollout_id_state_changed_at" on "executions" ("rollout_id", "state", "changed_at");
create index "executions_update_id" on "executions" ("update_id") where "update_id" is not null;
alter table "platforms" add column "restricted" bigint default 0 not null;
alter table "flavors" add column "restricted" bigint default 0 not null;
create table "catalogue_grants" ("id" text not null, "platform_id" text references "platforms" ("id") on delete cascade, "flavor_id" text references "flavors" ("id") on delete cascade, "user_id" text references "users" ("id") on delete cascade, "customer_id" text references "customers" ("id") on delete cascade, "created_at" bigint not null, constraint "catalogue_grants_key" primary key ("id"));
create index "catalogue_grants_platform_id" on "catalogue_grants" ("platform_id") where "platform_id" is not null;
create index "catalogue_grants_flavor_id" on "catalogue_grants" ("flavor_id") where "flavor_id" is not null;
create index "catalogue_grants_user_id" on "catalogue_grants" ("user_id") where "user_id" is not null;
create index "catalogue_grants_customer_id" on "catalogue_grants" ("customer_id") where "customer_id" is not null;
do $$ begin
 create extension if not exists pg_trgm;
 create index search_devices on devices using gin ((lower(devices.title || E'\n' || devices.uuid || E'\n' || coalesce(devices.mac, '') || E'\n' || coalesce(devices.bt_addr, ''))) gin_trgm_ops);
 exception when others then
 raise notice 'A search walks through all devices: %', sqlerrm;
 end $$;
alter table samples rename to "samples_early";
alter index samples_key rename to samples_early_key;
create table samples (
 stream_id bigint not null references streams (id) on delete cascade, at bigint not null, seq bigint not null,
 number double precision, text text, constraint samples_key primary key (stream_id, at, seq)
 ) partition by range (at);
create table "samples_20261203" partition of samples for values from (1796256000000) to (1796860800000);
create table "samples_20261210" partition of samples for values from (1796860800000) to (1797465600000);
create table "samples_later" partition of samples for values from (1797465600000) to (maxvalue);
with ahead as (delete from "samples_early" where at >= 1796256000000 returning *)
 insert into samples select * from ahead;
alter table samples attach partition "samples_early"
 for values from (minvalue) to (1796256000000);
alter table samples drop constraint "samples_stream_id_fkey1";
create function forget_samples() returns trigger language plpgsql as
 $$ begin delete from samples where stream_id in (select id from gone); return null; end $$;
create trigger forget_samples after delete on streams referencing old table as gone
 for each statement execute function forget_samples();
alter table "devices" add column "update_asked_at" bigint;
alter table "devices" add column "update_looked_at" bigint;
create table "alert_rules" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "segment_id" text references "segments" ("id") on delete cascade, "title" text not null, "condition" text not null, "at_least" bigint not null, "gather_minutes" bigint not null, "connectors" text not null, "enabled" bigint not null, "silenced_until" bigint, "created_at" bigint not null, "updated_at" bigint not null, constraint "alert_rules_key" primary key ("id"));
create table "alerts" ("id" text not null, "rule_id" text not null references "alert_rules" ("id") on delete cascade, "product_id" text not null references "products" ("id") on delete cascade, "text" text not null, "opened_at" bigint not null, "over_at" bigint, "devices" bigint not null, "devices_open" bigint not null, "told" bigint not null, "tell_at" bigint, "acknowledged_at" bigint, "acknowledged_by" text references "users" ("id") on delete set null, constraint "alerts_key" primary key ("id"));
create table "alert_devices" ("alert_id" text not null references "alerts" ("id") on delete cascade, "device_id" text not null references "devices" ("id") on delete cascade, "since" bigint not null, "over_at" bigint, constraint "alert_devices_key" primary key ("alert_id", "device_id"));
create index "alert_rules_product_id_created_at" on "alert_rules" ("product_id", "created_at");
create index "alert_rules_segment_id" on "alert_rules" ("segment_id");
create index "alerts_rule_id_opened_at" on "alerts" ("rule_id", "opened_at");
create index "alerts_product_id_opened_at" on "alerts" ("product_id", "opened_at");
create index "alerts_acknowledged_by" on "alerts" ("acknowledged_by");
create index "alert_devices_device_id" on "alert_devices" ("device_id");
alter table "rollouts" add column "author_id" text references "users" ("id") on delete set null;
alter table "rollouts" add column "approver_id" text references "users" ("id") on delete set null;
alter table "rollouts" add column "signalled" bigint default 0 not null;
alter table "rollouts" add column "signal_until" bigint;
alter table "rollouts" add column "due_at" bigint;
alter table "rollouts" add column "wake_at" bigint;
alter table "rollouts" add column "wake_after" text;
alter table "executions" add column "expires_at" bigint;
alter table "freezes" add column "everywhere" bigint default 0 not null;
update rollouts set due_at = gate_at;
create table "fleet_settings" ("product_id" text not null references "products" ("id") on delete cascade, "zone" text, "wake_per_minute" bigint, "poll_interval_s" bigint, "template" text, "settings" text, "updated_at" bigint not null, constraint "fleet_settings_key" primary key ("product_id"));
create index "rollouts_due_at" on "rollouts" ("due_at") where "due_at" is not null;
create index "rollouts_wake_at" on "rollouts" ("wake_at") where "wake_at" is not null;
create index "executions_expires_at" on "executions" ("expires_at") where "expires_at" is not null;
create index "executions_rollout_id_changed_at_device_id" on "executions" ("rollout_id", "changed_at", "device_id");
create index "executions_rollout_id_state_changed_at_device_id" on "executions" ("rollout_id", "state", "changed_at", "device_id");
alter table "blobs" add column "object" text;
create table count_devices (product_id text not null, user_id text not null, n integer not null);
create function count_devices() returns trigger language plpgsql as $$ begin
 if tg_op <> 'INSERT' then
 insert into count_devices values (old.product_id, coalesce(old.user_id, ''), -1);
 end if;
 if tg_op <> 'DELETE' then
 insert into count_devices values (new.product_id, coalesce(new.user_id, ''), 1);
 end if;
 return null;
 end $$;
create trigger count_devices after insert or delete on devices
 for each row execute function count_devices();
create trigger count_devices_moved after update of product_id, user_id on devices for each row
 when (old.product_id <> new.product_id or old.user_id is distinct from new.user_id)
 execute function count_devices();
insert into count_devices
 select product_id, coalesce(user_id, ''), count(*) from devices group by 1, 2;
create index count_devices_product on count_devices (product_id);
create index count_devices_user on count_devices (user_id);
create table "saved_views" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "page" text not null, "title" text not null, "state" text not null, "created_at" bigint not null, "updated_at" bigint not null, constraint "saved_views_key" primary key ("id"));
create index "saved_views_user_id_page" on "saved_views" ("user_id", "page");
drop index "executions_rollout_id_state_changed_at";
create table "product_doors" ("product_id" text not null references "products" ("id") on delete cascade, "ddi" bigint not null, "mender" bigint not null, "waiting" bigint not null, "updated_at" bigint not null, constraint "product_doors_key" primary key ("product_id"));
create table "door_tokens" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "door" text not null, "title" text not null, "token_hash" text not null, "tail" text not null, "user_id" text references "users" ("id") on delete set null, "created_at" bigint not null, "last_used_at" bigint, constraint "door_tokens_key" primary key ("id"));
create table "door_devices" ("device_id" text not null references "devices" ("id") on delete cascade, "product_id" text not null references "products" ("id") on delete cascade, "door" text not null, "name" text not null, "token_hash" text, "reported_at" bigint, "created_at" bigint not null, constraint "door_devices_key" primary key ("device_id"));
create table "door_waiting" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "door" text not null, "name" text not null, "secret_hash" text not null, "ip" text, "first_at" bigint not null, "last_at" bigint not null, constraint "door_waiting_key" primary key ("id"));
create table "door_updates" ("update_id" bigint not null references "updates" ("id") on delete cascade, "device_id" text not null references "devices" ("id") on delete cascade, "shown_at" bigint not null, "cancel_at" bigint, "closed_at" bigint, constraint "door_updates_key" primary key ("update_id"));
create table "update_messages" ("update_id" bigint not null references "updates" ("id") on delete cascade, "seq" bigint not null, "at" bigint not null, "step" text not null, "text" text not null, constraint "update_messages_key" primary key ("update_id", "seq"));
create unique index "door_tokens_token_hash" on "door_tokens" ("token_hash");
create index "door_tokens_product_id_created_at" on "door_tokens" ("product_id", "created_at");
create index "door_tokens_user_id" on "door_tokens" ("user_id");
create unique index "door_devices_product_id_door_name" on "door_devices" ("product_id", "door", "name");
create index "door_devices_token_hash" on "door_devices" ("token_hash") where "token_hash" is not null;
create index "door_waiting_product_id_last_at" on "door_waiting" ("product_id", "last_at");
create index "door_waiting_last_at" on "door_waiting" ("last_at");
create index "door_updates_device_id" on "door_updates" ("device_id");
alter table "blobs" add column "sha1" text;
alter table "blobs" add column "md5" text;
create table "artifact_headers" ("resource_id" text not null references "resources" ("id") on delete cascade, "name" text not null, "device_types" text not null, constraint "artifact_headers_key" primary key ("resource_id"));
create table "announcements" ("connector_id" text not null references "connectors" ("id") on delete cascade, "device_id" text not null, "uuid" text not null, constraint "announcements_key" primary key ("connector_id", "device_id"));
alter table "product_doors" add column "consent" bigint default 0 not null;
alter table "product_doors" add column "version_attribute" text;
alter table "product_doors" add column "probation_s" bigint;
alter table "door_devices" add column "auto_confirm" text;
alter table "door_updates" add column "consent" text;
create table "door_keys" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "name" text not null, "key_hash" text not null, "user_id" text references "users" ("id") on delete set null, "created_at" bigint not null, constraint "door_keys_key" primary key ("id"));
create unique index "door_keys_product_id_name" on "door_keys" ("product_id", "name");
create index "door_keys_key_hash" on "door_keys" ("key_hash");
create index "door_keys_user_id" on "door_keys" ("user_id");
alter table "alert_rules" add column "mail_to" text;
create table "alert_mails" ("id" text not null, "product_id" text not null references "products" ("id") on delete cascade, "mail_to" text not null, "subject" text not null, "body" text not null, "attempts" bigint not null, "due_at" bigint, "error" text, "created_at" bigint not null, constraint "alert_mails_key" primary key ("id"));
create index "alert_mails_product_id_created_at" on "alert_mails" ("product_id", "created_at");
create index "alert_mails_created_at" on "alert_mails" ("created_at");
create index "alert_mails_due_at" on "alert_mails" ("due_at") where "due_at" is not null;
alter table "users" add column "disabled_at" bigint;
create table "found_modules" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "gateway_id" text not null, "gateway" text not null, "address" text not null, "mac" text, "version" text, "board" text, "ssid" text, "signal" bigint, "has_password" bigint, "problem" text, "product_id" text references "products" ("id") on delete set null, "seen_at" bigint not null, constraint "found_modules_key" primary key ("id"));
create index "found_modules_user_id_gateway_id" on "found_modules" ("user_id", "gateway_id");
create index "found_modules_product_id" on "found_modules" ("product_id");
alter table "tokens" add column "scopes" text;
alter table "tokens" add column "product_ids" text;
alter table "tokens" add column "last_used_ip" text;
alter table "tokens" add column "user_agent" text;
alter table "tokens" add column "expires_at" bigint;
alter table "users" add column "second_factor" bigint default 0 not null;
alter table "tokens" add column "opened_by" text;
create table "totp" ("user_id" text not null references "users" ("id") on delete cascade, "secret" text, "pending" text, "confirmed_at" bigint, "last_step" bigint, constraint "totp_key" primary key ("user_id"));
create table "recovery_codes" ("user_id" text not null references "users" ("id") on delete cascade, "code_hash" text not null, constraint "recovery_codes_key" primary key ("user_id", "code_hash"));
create table "challenges" ("hash" text not null, "user_id" text not null references "users" ("id") on delete cascade, "expires_at" bigint not null, "attempts" bigint not null, constraint "challenges_key" primary key ("hash"));
create index "challenges_user_id" on "challenges" ("user_id");
create index "challenges_expires_at" on "challenges" ("expires_at");
alter table "users" add column "email_confirmed_at" bigint;
create table "mail_links" ("id" text not null, "user_id" text references "users" ("id") on delete cascade, "kind" text not null, "email" text not null, "token_hash" text, "created_at" bigint not null, "expires_at" bigint not null, "attempts" bigint not null, "due_at" bigint, "used_at" bigint, constraint "mail_links_key" primary key ("id"));
create index "mail_links_token_hash" on "mail_links" ("token_hash");
create index "mail_links_user_id" on "mail_links" ("user_id");
create index "mail_links_expires_at" on "mail_links" ("expires_at");
create index "mail_links_due_at" on "mail_links" ("due_at") where "due_at" is not null;
alter table "users" add column "customer_role" text default 'owner' not null;
create table "sso_attempts" ("state_hash" text not null, "browser_hash" text not null, "nonce" text not null, "verifier" text not null, "return_to" text not null, "user_id" text references "users" ("id") on delete cascade, "expires_at" bigint not null, constraint "sso_attempts_key" primary key ("state_hash"));
create index "sso_attempts_expires_at" on "sso_attempts" ("expires_at");
create index "sso_attempts_user_id" on "sso_attempts" ("user_id");
create table "sso_links" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "issuer" text not null, "subject" text not null, "email" text, "created_at" bigint not null, "last_used_at" bigint not null, constraint "sso_links_key" primary key ("id"));
create unique index "sso_links_issuer_subject" on "sso_links" ("issuer", "subject");
create index "sso_links_user_id" on "sso_links" ("user_id");
create table "sso_sessions" ("token_id" text not null references "tokens" ("id") on delete cascade, "id_token" text not null, constraint "sso_sessions_key" primary key ("token_id"));
create table "passkeys" ("id" text not null, "user_id" text not null references "users" ("id") on delete cascade, "credential_id" text not null, "public_key" text not null, "counter" bigint not null, "transports" text not null, "origin" text not null, "title" text not null, "created_at" bigint not null, "last_used_at" bigint, constraint "passkeys_key" primary key ("id"));
create unique index "passkeys_credential_id" on "passkeys" ("credential_id");
create index "passkeys_user_id" on "passkeys" ("user_id");
create table "passkey_challenges" ("hash" text not null, "user_id" text references "users" ("id") on delete cascade, "expires_at" bigint not null, constraint "passkey_challenges_key" primary key ("hash"));
create index "passkey_challenges_user_id" on "passkey_challenges" ("user_id");
create index "passkey_challenges_expires_at" on "passkey_challenges" ("expires_at");
alter table "users" add column "service_product_id" text;
create index "users_service_product_id" on "users" ("service_product_id") where "service_product_id" is not null;
create table "audit_queue" ("id" bigint generated always as identity primary key, "at" bigint not null, "user_id" text, "user" text not null, "token_id" text, "token" text, "ip" text, "action" text not null, "object_kind" text, "object_id" text, "product_id" text, "message" text, "before" text, "after" text);
create table "audit" ("seq" bigint not null, "at" bigint not null, "user_id" text, "user" text not null, "token_id" text, "token" text, "ip" text, "action" text not null, "object_kind" text, "object_id" text, "product_id" text, "message" text, "before" text, "after" text, "previous" text not null, "hash" text not null, constraint "audit_key" primary key ("seq"));
create index "audit_at_seq" on "audit" ("at", "seq");
create index "audit_user_seq" on "audit" ("user", "seq");
create index "audit_object_id_seq" on "audit" ("object_id", "seq");
create index "audit_product_id_seq" on "audit" ("product_id", "seq");
create table "audit_chain" ("id" text not null, "seq" bigint not null, "hash" text not null, "dropped_seq" bigint not null, "dropped_hash" text not null, constraint "audit_chain_key" primary key ("id"));
create function audit_keeps_rows() returns trigger language plpgsql as $$
 begin
 if tg_op = 'DELETE' then
 if old.seq <= coalesce((select dropped_seq from audit_chain), 0) then return old; end if;
 end if;
 raise exception 'The audit is only added to';
 end $$;
create trigger audit_keeps_rows before update or delete on audit
 for each row execute function audit_keeps_rows();
create trigger audit_keeps_all before truncate on audit
 for each statement execute function audit_keeps_rows();
create table "rehearsals" ("id" text not null, "rollout_id" text not null references "rollouts" ("id") on delete cascade, "number" bigint not null, "state" text not null, "reason" text, "percent" bigint not null, "fence" bigint not null, "devices" bigint not null, "seeds" bigint not null, "report" text, "page" text, "created_at" bigint not null, "finished_at" bigint, constraint "rehearsals_key" primary key ("id"));
create unique index "rehearsals_rollout_id_number" on "rehearsals" ("rollout_id", "number");
create index "rehearsals_state" on "rehearsals" ("state");
alter table executions drop constraint "executions_bundle_id_fkey";
alter table executions drop constraint "executions_device_id_fkey";
alter table executions drop constraint "executions_rollout_id_fkey";
create function "forget_executions_of_rollouts"() returns trigger language plpgsql as
 $$ begin delete from executions where "rollout_id" in (select id from gone); return null; end $$;
create trigger "forget_executions_of_rollouts" after delete on "rollouts" referencing old table as gone
 for each statement execute function "forget_executions_of_rollouts"();
create function "forget_executions_of_devices"() returns trigger language plpgsql as
 $$ begin delete from executions where "device_id" in (select id from gone); return null; end $$;
create trigger "forget_executions_of_devices" after delete on "devices" referencing old table as gone
 for each statement execute function "forget_executions_of_devices"();
create function "forget_executions_of_bundles"() returns trigger language plpgsql as
 $$ begin delete from executions where "bundle_id" in (select id from gone); return null; end $$;
create trigger "forget_executions_of_bundles" after delete on "bundles" referencing old table as gone
 for each statement execute function "forget_executions_of_bundles"();
create table "rehearsal_turns" ("user_id" text not null references "users" ("id") on delete cascade, "since" bigint not null, "asked_at" bigint not null, constraint "rehearsal_turns_key" primary key ("user_id"));
create index "rehearsal_turns_since" on "rehearsal_turns" ("since");
drop trigger count_devices on devices;
create function "count_devices_made"() returns trigger language plpgsql as $$ begin
 insert into count_devices
 select product_id, coalesce(user_id, ''), count(*) from changed group by product_id, user_id;
 return null;
 end $$;
create trigger "count_devices_made" after insert on devices
 referencing new table as changed for each statement execute function "count_devices_made"();
create function "count_devices_gone"() returns trigger language plpgsql as $$ begin
 insert into count_devices
 select product_id, coalesce(user_id, ''), -count(*) from changed group by product_id, user_id;
 return null;
 end $$;
create trigger "count_devices_gone" after delete on devices
 referencing old table as changed for each statement execute function "count_devices_gone"();
create sequence logs_number_seq;
alter table logs add column number bigint;
alter table logs alter column number set default nextval('logs_number_seq');
alter sequence logs_number_seq owned by logs.number;
create index logs_number on logs (number) where number is not null;
alter table "door_waiting" add column "from_address" text;
alter table "door_waiting" add column "from_network" text;
alter table "tokens" add column "proven_at" bigint;
create table "customer_invitations" ("id" text not null, "customer_id" text not null references "customers" ("id") on delete cascade, "user_id" text not null references "users" ("id") on delete cascade, "role" text not null, "name" text not null, "created_at" bigint not null, constraint "customer_invitations_key" primary key ("id"));
create unique index "customer_invitations_customer_id_user_id" on "customer_invitations" ("customer_id", "user_id");
create index "customer_invitations_user_id" on "customer_invitations" ("user_id");
alter table "mail_links" add column "product_id" text references "products" ("id") on delete cascade;
create table "alert_addresses" ("product_id" text not null references "products" ("id") on delete cascade, "email" text not null, "confirmed_at" bigint not null, constraint "alert_addresses_key" primary key ("product_id", "email"));
insert into kysely_migration (name, timestamp) values ('0001-initial', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0002-files', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0003-connectors-logs', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0004-polls-and-filters', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0005-data-cloud', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0006-channels', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0007-renewal-broadcasts', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0008-nodes-blocks', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0011-authorities-invitations', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0012-device-trust', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0015-bus', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0016-attributes', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0017-segments', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0018-rollouts', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0019-catalogue-access', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0021-search', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0023-partitions', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0024-loose-samples', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0027-asked-updates', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0028-alerts', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0029-rollout-settings', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0030-blob-objects', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0031-device-counts', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0032-saved-views', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0035-execution-indexes', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0040-doors', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0041-artifact-headers', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0052-announcements', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0054-door-rules', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0058-alert-mails', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0062-disabled-users', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0063-found-modules', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0064-token-scopes', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0065-second-factors', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0066-mail-links', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0073-customer-roles', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0074-single-sign-on', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0075-passkeys', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0076-service-accounts', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0077-audit', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0078-rehearsals', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0079-loose-executions', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0080-rehearsal-turns', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0081-counted-statements', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0082-numbered-logs', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0084-waiting-networks', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0085-proofs', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0086-customer-invitations', '2026-11-26T00:00:00.000Z');
insert into kysely_migration (name, timestamp) values ('0087-alert-addresses', '2026-11-26T00:00:00.000Z');
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
insert into users ("id", "email", "username", "password_hash", "name_given", "name_family", "organisation", "role", "customer_id", "avatar_id", "created_at", "disabled_at", "second_factor", "email_confirmed_at", "customer_role", "service_product_id") values ('3848f89d-a9db-4fa9-ad90-187a85f798d8', 'user1@example.com', 'user1', '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'Given', 'Family', 'Ünïcode "quoted" \ 
''single'' 🛳', 'user', null, null, 1700000000000, null, 0, null, 'owner', null);
insert into users ("id", "email", "username", "password_hash", "name_given", "name_family", "organisation", "role", "customer_id", "avatar_id", "created_at", "disabled_at", "second_factor", "email_confirmed_at", "customer_role", "service_product_id") values ('5fa65d02-bb67-49a5-b8ce-4e97552d2691', 'user2@example.com', 'user2', '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'Given', 'Family', 'Organisation', 'admin', null, null, 1700000000000, null, 0, null, 'owner', null);
insert into platforms ("id", "code", "title", "description", "part_id", "manufacturer", "avatar_id", "product_id", "created_at", "restricted") values ('8784dd6e-38a2-42f5-85b9-0b74c4588cf7', 'PLAT3', 'Platform 3', '', '6fc9e701', null, null, '260eb066-6262-46a8-b9f3-8e93df53b67e', 1700000000000, 0);
insert into flavors ("id", "code", "title", "description", "sdk", "created_at", "restricted") values ('a1bf2ca1-d425-400e-8124-662286295b8e', 'W4', 'Flavor W4', '', 0, 1700000000000, 0);
insert into products ("id", "code", "product", "title", "meta", "summary", "description", "user_id", "customer_id", "platform_id", "flavor_id", "publication", "trashed", "claimable", "production", "edition", "part_number", "created_at", "updated_at") values ('260eb066-6262-46a8-b9f3-8e93df53b67e', 'PLAT3_W4', 'MAKER-PLAT3_W4', 'Product 5', '', '', '', null, null, '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', 'a1bf2ca1-d425-400e-8124-662286295b8e', 'published', 0, 1, 0, 1, null, 1700000000000, 1700000000000);
insert into products ("id", "code", "product", "title", "meta", "summary", "description", "user_id", "customer_id", "platform_id", "flavor_id", "publication", "trashed", "claimable", "production", "edition", "part_number", "created_at", "updated_at") values ('1a480bd6-476f-4198-add0-cece6b8da1e4', 'CODE8', 'OWNER-CODE8', 'Product 8', '', '', '', '3848f89d-a9db-4fa9-ad90-187a85f798d8', null, '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', null, 'preview', 0, 1, 0, 0, null, 1700000000000, 1700000000000);
insert into activation_tokens ("id", "product_id", "user_id", "token_hash", "tail", "uses_left", "created_at") values ('activation_tokens id', '260eb066-6262-46a8-b9f3-8e93df53b67e', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'activation_tokens token_hash', 'activation_tokens tail', 1, 1700000000000);
insert into devices ("id", "uuid", "title", "description", "mac", "bt_addr", "platform_id", "product_id", "state", "tag", "user_id", "provision_token_hash", "provision_status", "certificate_fingerprint", "update_id", "bversion", "ip", "created_at", "claimed_at", "activated_at", "last_seen_at", "lat_e6", "lon_e6", "city", "country", "next_fingerprint", "blocked_by", "authority", "next_authority", "vendor_files", "mac_reported", "update_asked_at", "update_looked_at") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', '7f9c42e848f7fea636e8509ca93e3935a731b85f', 'Device 12', '', null, null, '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', '1a480bd6-476f-4198-add0-cece6b8da1e4', 'enabled', null, null, null, 'complete', null, null, null, null, 1700000000000, null, null, null, null, null, null, null, null, null, null, null, 0, 0, null, null);
insert into devices ("id", "uuid", "title", "description", "mac", "bt_addr", "platform_id", "product_id", "state", "tag", "user_id", "provision_token_hash", "provision_status", "certificate_fingerprint", "update_id", "bversion", "ip", "created_at", "claimed_at", "activated_at", "last_seen_at", "lat_e6", "lon_e6", "city", "country", "next_fingerprint", "blocked_by", "authority", "next_authority", "vendor_files", "mac_reported", "update_asked_at", "update_looked_at") values ('beda60cd-708b-4fc7-b0f2-57a4c4221ecd', '22efaed962d9f9f14a3561c2a2ba1c1771582788', 'Device 11', '', '02:00:00:00:00:01', null, '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', '1a480bd6-476f-4198-add0-cece6b8da1e4', 'enabled', null, '3848f89d-a9db-4fa9-ad90-187a85f798d8', null, 'complete', null, 1, null, null, 1700000000000, null, null, null, 1, 2, null, null, null, null, null, null, 0, 0, null, null);
insert into activations ("device_id", "user_id", "capabilities", "activated_at") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', '3848f89d-a9db-4fa9-ad90-187a85f798d8', '{}', 1700000000000);
insert into alert_addresses ("product_id", "email", "confirmed_at") values ('260eb066-6262-46a8-b9f3-8e93df53b67e', 'alert_addresses email', 1700000000000);
insert into segments ("id", "product_id", "title", "filter", "created_at", "updated_at") values ('segments id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'segments title', 'segments filter', 1700000000000, 1700000000000);
insert into alert_rules ("id", "product_id", "segment_id", "title", "condition", "at_least", "gather_minutes", "connectors", "enabled", "silenced_until", "created_at", "updated_at", "mail_to") values ('alert_rules id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'segments id', 'alert_rules title', '{}', 1, 1, '[]', 1, 1700000000000, 1700000000000, 1700000000000, 'alert_rules mail_to');
insert into alerts ("id", "rule_id", "product_id", "text", "opened_at", "over_at", "devices", "devices_open", "told", "tell_at", "acknowledged_at", "acknowledged_by") values ('alerts id', 'alert_rules id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'alerts text', 1700000000000, 1700000000000, 1, 1, 1, 1700000000000, 1700000000000, '3848f89d-a9db-4fa9-ad90-187a85f798d8');
insert into alert_devices ("alert_id", "device_id", "since", "over_at") values ('alerts id', 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 1700000000000, 1700000000000);
insert into alert_mails ("id", "product_id", "mail_to", "subject", "body", "attempts", "due_at", "error", "created_at") values ('alert_mails id', '260eb066-6262-46a8-b9f3-8e93df53b67e', '[]', 'alert_mails subject', 'alert_mails body', 1, null, 'alert_mails error', 1700000000000);
insert into connectors ("id", "product_id", "title", "code", "type", "opts", "state", "last_used_at", "last_error", "created_at", "updated_at") values ('connectors id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'connectors title', 'connectors code', 'webhook', '{}', 'ok', 1700000000000, 'connectors last_error', 1700000000000, 1700000000000);
insert into announcements ("connector_id", "device_id", "uuid") values ('connectors id', 'announcements device_id', 'announcements uuid');
insert into firmwares ("id", "platform_id", "flavor_id", "label", "version", "version_key", "created_at") values ('dd4e01f9-bd2d-4534-927e-632543b19d98', '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', 'a1bf2ca1-d425-400e-8124-662286295b8e', 'FW', '1.0.0.6', '00001.00000.00000.00006', 1700000000000);
insert into bundles ("id", "product_id", "firmware_id", "user_id", "state", "tag", "version", "version_key", "description", "remote_id", "remote_product", "created_at") values ('c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', '1a480bd6-476f-4198-add0-cece6b8da1e4', 'dd4e01f9-bd2d-4534-927e-632543b19d98', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'preview', null, '0.0.0.9', '00000.00000.00000.00009', '', null, null, 1700000000000);
insert into blobs ("sha256", "size", "created_at", "object", "sha1", "md5") values ('c3bf47ea1f4a4a605470313cacb3a44f4a461f68c6faeab07e737610cb5ac835', 8, 1700000000000, null, null, null);
insert into blobs ("sha256", "size", "created_at", "object", "sha1", "md5") values ('5de95319f17467ed6dc58e4e0b16c1193a13b35d60dc48bcf06bf6b7beebbe6c', 8, 1700000000000, null, null, null);
insert into resources ("id", "bundle_id", "exclude", "filename", "type", "version", "mime", "size", "crc", "sha256", "created_at") values ('e71be660-a05f-432e-95a7-09d16b43d6cf', 'c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', 0, 'file10.bin', 'MISC_FIX_LEN', '1.0.0.0', 'application/octet-stream', 8, 54987, '5de95319f17467ed6dc58e4e0b16c1193a13b35d60dc48bcf06bf6b7beebbe6c', 1700000000000);
insert into artifact_headers ("resource_id", "name", "device_types") values ('e71be660-a05f-432e-95a7-09d16b43d6cf', 'artifact_headers name', '[]');
insert into attempts ("bucket", "times", "expires_at") values ('attempts bucket', '[]', 1700000000000);
insert into attributes ("device_id", "name", "value", "number", "version_key", "since") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'attributes name', 'attributes value', 1.5, 'attributes version_key', 1700000000000);
insert into audit ("seq", "at", "user_id", "user", "token_id", "token", "ip", "action", "object_kind", "object_id", "product_id", "message", "before", "after", "previous", "hash") values (1, 1700000000000, 'audit user_id', 'audit user', 'audit token_id', 'audit token', 'audit ip', 'audit action', 'audit object_kind', 'audit object_id', 'audit product_id', 'audit message', 'audit before', 'audit after', 'audit previous', 'audit hash');
insert into audit_chain ("id", "seq", "hash", "dropped_seq", "dropped_hash") values ('audit_chain id', 1, 'audit_chain hash', 1, 'audit_chain dropped_hash');
insert into audit_queue ("id", "at", "user_id", "user", "token_id", "token", "ip", "action", "object_kind", "object_id", "product_id", "message", "before", "after") overriding system value values (1, 1700000000000, 'audit_queue user_id', 'audit_queue user', 'audit_queue token_id', 'audit_queue token', 'audit_queue ip', 'audit_queue action', 'audit_queue object_kind', 'audit_queue object_id', 'audit_queue product_id', 'audit_queue message', 'audit_queue before', 'audit_queue after');
select setval(pg_get_serial_sequence('audit_queue', 'id'), (select max("id") from audit_queue));
insert into authorities ("fingerprint", "certificate", "private_key", "state", "created_at", "changed_at") values ('eb8efc8c51e2418c68e08bf7380edf2126f42a0fae8dc2158816baf37583dc0d', '-----BEGIN CERTIFICATE-----
MIIBrDCCAVKgAwIBAgIQAc5rcrpyD7BHJTshDqTXazAKBggqhkjOPQQDAjAjMSEw
HwYDVQQDDBhNb29yYWdlIGRldmljZXMgNDc5YzA1MjkwIBcNNzAwMTAxMDAwMDAw
WhgPMjA1MzExMDYyMjEzMjBaMCMxITAfBgNVBAMMGE1vb3JhZ2UgZGV2aWNlcyA0
NzljMDUyOTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABO/1mx/5r2z1hGUthJQR
T29TtquF0DCnzfbPHTeh6wA68Xz+cGhpiqhSEDrDCr4LHlhuoLII/FfDqyy64kk1
gpyjZjBkMBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMB0GA1Ud
DgQWBBRdnDgDZiWaEsQPW18Ha+5l7GdujDAfBgNVHSMEGDAWgBRdnDgDZiWaEsQP
W18Ha+5l7GdujDAKBggqhkjOPQQDAgNIADBFAiEAsMSwv+zOtiJGc5bqnB3b8fkX
M4G7mNZO45KBTvxfq68CIG+d/98asjlIdq8yvs20Uuq0r6el03w5TrI2B1QdrZ+m
-----END CERTIFICATE-----
', '-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgeNDHrH29UPPDNG3a
aQPsKFQHY2naTJ370L/Sh8242mChRANCAATv9Zsf+a9s9YRlLYSUEU9vU7arhdAw
p832zx03oesAOvF8/nBoaYqoUhA6wwq+Cx5YbqCyCPxXw6ssuuJJNYKc
-----END PRIVATE KEY-----
', 'active', 1700000000000, 1700000000000);
insert into avatars ("id", "user_id", "platform_id", "mime", "size", "crc", "sha256", "created_at") values ('avatars id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', null, 'avatars mime', 1, 1, 'c3bf47ea1f4a4a605470313cacb3a44f4a461f68c6faeab07e737610cb5ac835', 1700000000000);
insert into broadcast_keys ("id", "user_id", "title", "key_hash", "tail", "created_at", "last_used_at") values ('broadcast_keys id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'broadcast_keys title', 'broadcast_keys key_hash', 'broadcast_keys tail', 1700000000000, 1700000000000);
insert into bus_messages ("id", "at", "sender", "topic", "message") values (1, 1795736753649, '9fe84ee9-24db-4bce-8f74-4018566c8834', 'counts.changed', '{"node":"7b9cefd9-e80d-47d3-a2f3-5ebb752dd706","kind":"GET /api/events","counts":[],"isAll":true}');
insert into bus_messages ("id", "at", "sender", "topic", "message") values (2, 1795736753654, '9fe84ee9-24db-4bce-8f74-4018566c8834', 'counts.changed', '{"node":"e6f30cdc-549d-49b7-bc48-d3f63b703472","kind":"GET /api/devices/{device_id}/live","counts":[],"isAll":true}');
insert into bus_position ("id", "last") values (1, 2);
insert into customers ("id", "name", "title", "created_at") values ('customers id', 'customers name', 'customers title', 1700000000000);
insert into catalogue_grants ("id", "platform_id", "flavor_id", "user_id", "customer_id", "created_at") values ('catalogue_grants id', '8784dd6e-38a2-42f5-85b9-0b74c4588cf7', 'a1bf2ca1-d425-400e-8124-662286295b8e', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'customers id', 1700000000000);
insert into challenges ("hash", "user_id", "expires_at", "attempts") values ('challenges hash', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000, 1);
insert into channels ("device_id", "process_id", "session", "address", "connected_at") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'channels process_id', 'channels session', 'channels address', 1700000000000);
insert into connector_events ("connector_id", "product_id", "event") values ('connectors id', 'connector_events product_id', 'connector_events event');
insert into control_values ("id", "device_id", "name", "value", "at", "source", "user_id") overriding system value values (1, 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'control_values name', 'control_values value', 1700000000000, 'user', '3848f89d-a9db-4fa9-ad90-187a85f798d8');
select setval(pg_get_serial_sequence('control_values', 'id'), (select max("id") from control_values));
insert into controls ("device_id", "name", "value", "at", "source", "delivered") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'controls name', '1', 1700000000000, 'user', 1);
insert into customer_invitations ("id", "customer_id", "user_id", "role", "name", "created_at") values ('customer_invitations id', 'customers id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'member', 'customer_invitations name', 1700000000000);
insert into deliveries ("id", "connector_id", "event", "log_id", "device_id", "state", "attempts", "due_at", "status", "error", "created_at", "finished_at") values ('deliveries id', 'connectors id', 'deliveries event', 'deliveries log_id', 'deliveries device_id', 'done', 1, null, 1, null, 1700000000000, 1700000000000);
insert into device_nodes ("device_id", "id", "title", "seen_at") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'device_nodes id', 'device_nodes title', 1700000000000);
insert into door_devices ("device_id", "product_id", "door", "name", "token_hash", "reported_at", "created_at", "auto_confirm") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'ddi', 'door_devices name', 'door_devices token_hash', 1700000000000, 1700000000000, null);
insert into door_keys ("id", "product_id", "name", "key_hash", "user_id", "created_at") values ('door_keys id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'door_keys name', 'door_keys key_hash', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000);
insert into door_tokens ("id", "product_id", "door", "title", "token_hash", "tail", "user_id", "created_at", "last_used_at") values ('door_tokens id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'ddi', 'door_tokens title', 'door_tokens token_hash', 'door_tokens tail', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000, 1700000000000);
insert into updates ("id", "device_id", "product_id", "cause", "from_bundle_id", "from_bversion", "to_bundle_id", "to_version", "to_bversion", "state", "result", "reason", "created_at", "downloading_at", "installed_at", "finished_at") overriding system value values (1, 'beda60cd-708b-4fc7-b0f2-57a4c4221ecd', '1a480bd6-476f-4198-add0-cece6b8da1e4', 'device', null, null, 'c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', '1.0.0.0', '', 'offered', null, null, 1700000000000, null, null, null);
select setval(pg_get_serial_sequence('updates', 'id'), (select max("id") from updates));
insert into door_updates ("update_id", "device_id", "shown_at", "cancel_at", "closed_at", "consent") values (1, 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 1700000000000, 1700000000000, 1700000000000, null);
insert into door_waiting ("id", "product_id", "door", "name", "secret_hash", "ip", "first_at", "last_at", "from_address", "from_network") values ('door_waiting id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'ddi', 'door_waiting name', 'door_waiting secret_hash', 'door_waiting ip', 1700000000000, 1700000000000, 'door_waiting from_address', 'door_waiting from_network');
insert into rollouts ("id", "product_id", "bundle_id", "title", "filter", "priority", "settings", "state", "holds", "reason", "stage", "gate_at", "pace_from", "pace_count", "created_at", "started_at", "finished_at", "author_id", "approver_id", "signalled", "signal_until", "due_at", "wake_at", "wake_after") values ('rollouts id', '260eb066-6262-46a8-b9f3-8e93df53b67e', 'c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', 'rollouts title', 'rollouts filter', 1, '{}', 'paused', 1, 'rollouts reason', 1, 1700000000000, 1, 1, 1700000000000, 1700000000000, 1700000000000, '3848f89d-a9db-4fa9-ad90-187a85f798d8', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1, 1700000000000, 1700000000000, 1700000000000, 'rollouts wake_after');
insert into executions ("rollout_id", "device_id", "bundle_id", "stage", "state", "kind", "attempt", "update_id", "due_at", "changed_at", "expires_at") values ('rollouts id', 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', 1, 'waiting', 'executions kind', 1, 1, 1700000000000, 1700000000000, 1700000000000);
insert into files ("id", "device_id", "product_id", "path", "version", "mime", "size", "crc", "sha256", "created_at", "updated_at") values ('files id', 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', null, 'files path', 'files version', 'files mime', 1, 1, 'c3bf47ea1f4a4a605470313cacb3a44f4a461f68c6faeab07e737610cb5ac835', 1700000000000, 1700000000000);
insert into firmware_files ("id", "firmware_id", "filename", "type", "version", "mime", "size", "crc", "sha256", "created_at") values ('1f5eff78-c3b8-4bf3-8693-0ab7dc62d2e3', 'dd4e01f9-bd2d-4534-927e-632543b19d98', 'file7.bin', 'MISC_FIX_LEN', '1.0.0.0', 'application/octet-stream', 8, 23623, 'c3bf47ea1f4a4a605470313cacb3a44f4a461f68c6faeab07e737610cb5ac835', 1700000000000);
insert into fleet_settings ("product_id", "zone", "wake_per_minute", "poll_interval_s", "template", "settings", "updated_at") values ('260eb066-6262-46a8-b9f3-8e93df53b67e', 'Europe/Berlin', 1, 1, null, null, 1700000000000);
insert into found_modules ("id", "user_id", "gateway_id", "gateway", "address", "mac", "version", "board", "ssid", "signal", "has_password", "problem", "product_id", "seen_at") values ('found_modules id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'found_modules gateway_id', 'found_modules gateway', 'found_modules address', 'found_modules mac', 'found_modules version', 'found_modules board', 'found_modules ssid', 1, 1, 'found_modules problem', '260eb066-6262-46a8-b9f3-8e93df53b67e', 1700000000000);
insert into freezes ("product_id", "reason", "until", "created_at", "everywhere") values ('260eb066-6262-46a8-b9f3-8e93df53b67e', 'freezes reason', 1700000000000, 1700000000000, 1);
insert into invitations ("id", "token_hash", "tail", "email", "role", "created_by", "created_at", "expires_at", "used_at", "used_by") values ('invitations id', 'invitations token_hash', 'invitations tail', 'invitations email', 'user', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000, 1700000000000, 1700000000000, '3848f89d-a9db-4fa9-ad90-187a85f798d8');
insert into labels ("device_id", "name", "value") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'labels name', 'labels value');
insert into logs ("id", "type", "level", "message", "user_id", "device_id", "product_id", "bundle_id", "ip", "client", "data", "created_at", "owner_id", "quiet", "number") values ('logs id', 'logs type', 'logs level', 'logs message', 'logs user_id', 'logs device_id', 'logs product_id', 'logs bundle_id', 'logs ip', 'logs client', 'logs data', 1700000000000, 'logs owner_id', 1, 1);
select setval(pg_get_serial_sequence('logs', 'number'), (select max("number") from logs));
insert into mail_links ("id", "user_id", "kind", "email", "token_hash", "created_at", "expires_at", "attempts", "due_at", "used_at", "product_id") values ('mail_links id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'email', 'mail_links email', 'mail_links token_hash', 1700000000000, 1700000000000, 1, null, 1700000000000, '260eb066-6262-46a8-b9f3-8e93df53b67e');
insert into messages ("seq", "id", "device_id", "box", "headers", "data", "length", "created_at") overriding system value values (1, 'messages id', 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'to-device', '{}', 'messages data', 1, 1700000000000);
select setval(pg_get_serial_sequence('messages', 'seq'), (select max("seq") from messages));
insert into passkey_challenges ("hash", "user_id", "expires_at") values ('passkey_challenges hash', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000);
insert into passkeys ("id", "user_id", "credential_id", "public_key", "counter", "transports", "origin", "title", "created_at", "last_used_at") values ('passkeys id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'passkeys credential_id', 'passkeys public_key', 1, '[]', 'passkeys origin', 'passkeys title', 1700000000000, 1700000000000);
insert into pins ("device_id", "bundle_id", "reason", "until", "created_at") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 'c83b59d4-cde1-4f46-92dc-a3c4ee9e3c25', 'pins reason', 1700000000000, 1700000000000);
insert into platform_flavors ("platform_id", "flavor_id") values ('8784dd6e-38a2-42f5-85b9-0b74c4588cf7', 'a1bf2ca1-d425-400e-8124-662286295b8e');
insert into polls ("product_id", "owner_id", "at", "polls") values ('polls product_id', 'polls owner_id', 1700000000000, 1);
insert into processes ("id", "seen_at", "beats") values ('processes id', 1700000000000, 1);
insert into product_doors ("product_id", "ddi", "mender", "waiting", "updated_at", "consent", "version_attribute", "probation_s") values ('260eb066-6262-46a8-b9f3-8e93df53b67e', 1, 1, 1, 1700000000000, 1, null, 1);
insert into product_users ("product_id", "user_id", "role", "created_at") values ('1a480bd6-476f-4198-add0-cece6b8da1e4', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'manager', 1700000000000);
insert into recovery_codes ("user_id", "code_hash") values ('3848f89d-a9db-4fa9-ad90-187a85f798d8', 'recovery_codes code_hash');
insert into rehearsal_turns ("user_id", "since", "asked_at") values ('3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000, 1700000000000);
insert into rehearsals ("id", "rollout_id", "number", "state", "reason", "percent", "fence", "devices", "seeds", "report", "page", "created_at", "finished_at") values ('rehearsals id', 'rollouts id', 1, 'failed', 'rehearsals reason', 1, 1, 1, 1, 'rehearsals report', 'rehearsals page', 1700000000000, 1700000000000);
insert into retired_certificates ("fingerprint", "device_id", "retired_at", "seen_at") values ('retired_certificates fingerprint', 'f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 1700000000000, 1700000000000);
insert into rollout_counts ("rollout_id", "stage", "state", "kind", "n") values ('rollouts id', 1, 'waiting', 'rollout_counts kind', 1);
insert into sample_batches ("device_id", "batch", "created_at") values ('beda60cd-708b-4fc7-b0f2-57a4c4221ecd', 'b', 1700000000000);
insert into streams ("id", "device_id", "name") overriding system value values (1, 'beda60cd-708b-4fc7-b0f2-57a4c4221ecd', 'level');
select setval(pg_get_serial_sequence('streams', 'id'), (select max("id") from streams));
insert into samples ("stream_id", "at", "seq", "number", "text") values (1, 5, 630126013, 1.25, null);
insert into samples ("stream_id", "at", "seq", "number", "text") values (1, 1700000000000, 630126014, 425000000000, null);
insert into samples ("stream_id", "at", "seq", "number", "text") values (1, 3000000000000, 630126015, 750000000000, null);
insert into saved_views ("id", "user_id", "page", "title", "state", "created_at", "updated_at") values ('saved_views id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'saved_views page', 'saved_views title', 'saved_views state', 1700000000000, 1700000000000);
insert into settings ("name", "value") values ('identity.server.aadbdca327d1ad77', '{"certificate":"-----BEGIN CERTIFICATE-----\nMIIB2TCCAYCgAwIBAgIQAYhpL/95PdZnqtos7+nAYTAKBggqhkjOPQQDAjAjMSEw\nHwYDVQQDDBhNb29yYWdlIGRldmljZXMgNDc5YzA1MjkwHhcNNzAwMTAxMDAwMDAw\nWhcNNDMxMTA5MjIxMzIwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjO\nPQIBBggqhkjOPQMBBwNCAARsgN11Co5TMZY6ZhUPxRS38TeV3b8+DC5zDOBMV7IZ\nKEzJB+hejRn0LJ6YYP3Segyd9G4IWLdlgEr2PW+WKYxJo4GkMIGhMAwGA1UdEwEB\n/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMCwGA1Ud\nEQQlMCOCCWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAdBgNVHQ4E\nFgQUJyaKPArEs9SIY5rav8qG9E15PEswHwYDVR0jBBgwFoAUXZw4A2YlmhLED1tf\nB2vuZexnbowwCgYIKoZIzj0EAwIDRwAwRAIgUFNJNuI2AlBFIzEtrGdAWI+njzTi\n8VBB+k1n3j2FbacCIC9uLBEwvUwtH8IlkWXh3P8G/KH1r+bfvqkmQLByxFpu\n-----END CERTIFICATE-----\n","key":"-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgV1s6qrFlMs1lp2nC\nrDmHo/U+QF+83NTDoA4lRLFDRAChRANCAARsgN11Co5TMZY6ZhUPxRS38TeV3b8+\nDC5zDOBMV7IZKEzJB+hejRn0LJ6YYP3Segyd9G4IWLdlgEr2PW+WKYxJ\n-----END PRIVATE KEY-----\n"}');
insert into settings ("name", "value") values ('identity.tickets', '{"key":"BlihsUXYknCgHeo7mLKURUol+eJHt7dWW6aXwMLpenOKX2foW5OWOKfl9NhFrdso","madeAtMs":1700000000000}');
insert into sso_attempts ("state_hash", "browser_hash", "nonce", "verifier", "return_to", "user_id", "expires_at") values ('sso_attempts state_hash', 'sso_attempts browser_hash', 'sso_attempts nonce', 'sso_attempts verifier', 'sso_attempts return_to', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 1700000000000);
insert into sso_links ("id", "user_id", "issuer", "subject", "email", "created_at", "last_used_at") values ('sso_links id', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'sso_links issuer', 'sso_links subject', 'sso_links email', 1700000000000, 1700000000000);
insert into tokens ("id", "user_id", "title", "token_hash", "tail", "client", "created_at", "last_used_at", "scopes", "product_ids", "last_used_ip", "user_agent", "expires_at", "opened_by", "proven_at") values ('39cbe8c3-6687-464d-b570-3fffedbf02a5', '3848f89d-a9db-4fa9-ad90-187a85f798d8', 'Test', '64cdc51c3a02b7576360b7073e4c251044d6565bf5dbe5eb7acc1d1eeecacfd8', 'UUhN', null, 1700000000000, null, null, null, null, null, null, null, 1700000000000);
insert into tokens ("id", "user_id", "title", "token_hash", "tail", "client", "created_at", "last_used_at", "scopes", "product_ids", "last_used_ip", "user_agent", "expires_at", "opened_by", "proven_at") values ('631f144a-1ec4-4f4c-a7ee-b4df7a83912c', '5fa65d02-bb67-49a5-b8ce-4e97552d2691', 'Test', '41f0e26fbb8c64fb44101a29bab3866cfe91515864c3f00945d8e3e187290e48', 'clM5', null, 1700000000000, null, null, null, null, null, null, null, 1700000000000);
insert into sso_sessions ("token_id", "id_token") values ('39cbe8c3-6687-464d-b570-3fffedbf02a5', 'sso_sessions id_token');
insert into telemetry ("device_id", "at", "data") values ('f08367d2-fad2-4b4c-bc08-98440bc6cb9b', 1700000000000, '{}');
insert into totp ("user_id", "secret", "pending", "confirmed_at", "last_step") values ('3848f89d-a9db-4fa9-ad90-187a85f798d8', 'totp secret', 'totp pending', 1700000000000, 1);
insert into update_messages ("update_id", "seq", "at", "step", "text") values (1, 1, 1700000000000, 'update_messages step', 'update_messages text');
insert into work ("name", "holder", "fence", "done_at") values ('work name', 'work holder', 1, 1700000000000);
