import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Text } from '../fields.ts';

/** Statuses that clients of this interface know. */
const errors = [400, 401, 403, 404, 405, 410, 413, 415, 416, 429] as const;

const params = {
  tenant: Text(120, { minLength: 1, description: 'DEFAULT, or the full code of the product, in any letter case' }),
  controller_id: Text(128, { minLength: 1, description: 'name of the device' }),
  // Clients keep it in 32 bits with a sign.
  action_id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  name: Text(255, { minLength: 1 }),
};

/** What clients add to tell an action from a changed one, or to see its history; neither changes the answer. */
const history = Type.Object({ c: Type.Optional(Text(64)), actionHistory: Type.Optional(Text(16)) });

const Link = Type.Object({ href: Type.String() });
const link = Type.Optional(Link);

export const DdiBase = Type.Object({
  config: Type.Object({
    polling: Type.Object({ sleep: Type.String({ description: 'HH:MM:SS until the next request' }) }),
  }),
  _links: Type.Object({
    deploymentBase: link,
    cancelAction: link,
    confirmationBase: link,
    installedBase: link,
    configData: link,
  }),
});
export type DdiBase = Static<typeof DdiBase>;

const Artifact = Type.Object({
  filename: Type.String(),
  size: Type.Integer({ description: 'bytes' }),
  hashes: Type.Object({ sha1: Type.String(), md5: Type.String(), sha256: Type.String() }),
  _links: Type.Object({ download: link, md5sum: link, 'download-http': link, 'md5sum-http': link }),
});
export type DdiArtifact = Static<typeof Artifact>;

const Deployment = Type.Object({
  download: Type.Enum(['skip', 'attempt', 'forced']),
  update: Type.Enum(['skip', 'attempt', 'forced']),
  maintenanceWindow: Type.Optional(Type.Enum(['available', 'unavailable'])),
  chunks: Type.Array(
    Type.Object({
      part: Type.String(),
      name: Type.String(),
      version: Type.String(),
      artifacts: Type.Array(Artifact),
    }),
  ),
});

const actionHistory = Type.Optional(
  Type.Object(
    { status: Type.String(), messages: Type.Array(Type.String()) },
    { description: 'with actionHistory only' },
  ),
);

const Confirmation = Type.Object({ id: Type.String(), confirmation: Deployment, actionHistory });

const AutoConfirm = Type.Object({
  active: Type.Boolean(),
  initiator: Type.Optional(Type.String()),
  remark: Type.Optional(Type.String()),
  activatedAt: Type.Optional(Type.Integer({ description: 'epoch ms' })),
});
export type DdiAutoConfirm = Static<typeof AutoConfirm>;

const DdiConsent = Type.Object({
  confirmation: Type.Enum(['confirmed', 'denied']),
  code: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  details: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
});

export const DdiAction = Type.Object({ id: Type.String(), deployment: Deployment, actionHistory });
export type DdiAction = Static<typeof DdiAction>;

/** What a client does with an action. */
export const ddiExecutions = [
  'closed',
  'proceeding',
  'canceled',
  'scheduled',
  'rejected',
  'resumed',
  'download',
  'downloaded',
] as const;

const AnyId = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));

export const DdiFeedback = Type.Object({
  id: AnyId,
  status: Type.Object({
    execution: Type.Enum([...ddiExecutions]),
    result: Type.Object({
      finished: Type.Enum(['success', 'failure', 'none']),
      progress: Type.Optional(Type.Unknown({ description: 'clients count what they like here' })),
    }),
    details: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  }),
});
export type DdiFeedback = Static<typeof DdiFeedback>;

const ConfigData = Type.Object({
  data: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  mode: Type.Optional(Type.Union([Type.Enum(['merge', 'replace', 'remove']), Type.Null()])),
});
export type DdiConfigData = Static<typeof ConfigData>;

const Nothing = Type.Object({}, { description: 'clients look at the status alone, and know 200 only' });

const base = '/{tenant}/controller/v1/{controller_id}';
const shared = { params, tag: 'Doors: DDI', auth: 'door', writes: 'updates', hasAllStatuses: true, errors } as const;

/** The interface that update clients such as SWUpdate and the RAUC updater speak, on the device listener. */
export const ddiContract = endpoints(shared, {
  base: {
    route: `GET ${base}`,
    writes: 'updates',
    spec: ['API-DDI-base', 'API-DOOR-identity'],
    summary: 'Ask what there is to do, and when to ask again',
    reply: DdiBase,
  },
  configData: {
    route: `PUT ${base}/configData`,
    writes: 'attributes',
    spec: ['API-DDI-config'],
    summary: 'Report what the device says of itself; it becomes its attributes',
    body: ConfigData,
    reply: Nothing,
  },
  deployment: {
    route: `GET ${base}/deploymentBase/{action_id}`,
    spec: ['API-DDI-deployment'],
    summary: 'Get what is to be installed',
    query: history,
    reply: DdiAction,
  },
  feedback: {
    route: `POST ${base}/deploymentBase/{action_id}/feedback`,
    spec: ['API-DDI-feedback'],
    summary: 'Report how an update goes; an update that has ended otherwise is 410',
    body: DdiFeedback,
    reply: Nothing,
  },
  installed: {
    route: `GET ${base}/installedBase/{action_id}`,
    spec: ['API-DDI-installed'],
    summary: 'Get what was installed last',
    query: history,
    reply: DdiAction,
  },
  cancel: {
    route: `GET ${base}/cancelAction/{action_id}`,
    spec: ['API-DDI-cancel'],
    summary: 'Get which update is over',
    reply: Type.Object({ id: Type.String(), cancelAction: Type.Object({ stopId: Type.String() }) }),
  },
  cancelFeedback: {
    route: `POST ${base}/cancelAction/{action_id}/feedback`,
    spec: ['API-DDI-cancel'],
    summary: 'Report that an update is dropped, or that it is too late for that',
    body: DdiFeedback,
    reply: Nothing,
  },
  confirmations: {
    route: `GET ${base}/confirmationBase`,
    spec: ['API-DDI-confirmation'],
    summary: 'Ask whether updates wait for a consent of the user of the device',
    reply: Type.Object({
      autoConfirm: AutoConfirm,
      _links: Type.Object({ activateAutoConfirm: link, deactivateAutoConfirm: link, confirmationBase: link }),
    }),
  },
  confirmation: {
    route: `GET ${base}/confirmationBase/{action_id}`,
    spec: ['API-DDI-confirmation'],
    summary: 'Get what waits for a consent',
    query: history,
    reply: Confirmation,
  },
  confirm: {
    route: `POST ${base}/confirmationBase/{action_id}/feedback`,
    spec: ['API-DDI-confirmation'],
    summary: 'Report whether the user of the device consents',
    body: DdiConsent,
    reply: Nothing,
  },
  activateAutoConfirm: {
    route: `POST ${base}/confirmationBase/activateAutoConfirm`,
    spec: ['API-DDI-confirmation'],
    summary: 'Consent to all updates, until that is taken back',
    body: Type.Object({
      initiator: Type.Optional(Type.Union([Text(64), Type.Null()])),
      remark: Type.Optional(Type.Union([Text(512), Type.Null()])),
    }),
    reply: Nothing,
  },
  deactivateAutoConfirm: {
    route: `POST ${base}/confirmationBase/deactivateAutoConfirm`,
    spec: ['API-DDI-confirmation'],
    summary: 'Ask the user of the device about each update again',
    reply: Nothing,
  },
  bundle: {
    route: `GET ${base}/update.raucb`,
    writes: 'updates',
    spec: ['API-DDI-polling'],
    summary: 'Where RAUC itself polls: a redirect to the bundle on offer; 204 without one',
    description: 'RAUC says in headers what it runs (`RAUC-System-Version`), and is told in one where the bundle is.',
    reply: Nothing,
  },
  noteInstalled: {
    route: `PUT ${base}/installedBase`,
    writes: 'attributes',
    spec: ['API-DDI-installed'],
    summary: 'Report by name and version what runs; both become attributes',
    body: Type.Object({ name: Text(256), version: Text(256) }),
    reply: Nothing,
  },
  artifacts: {
    route: `GET ${base}/softwaremodules/{bundle_id}/artifacts`,
    spec: ['API-DDI-artifact'],
    summary: 'List the files of the update',
    reply: Type.Array(Artifact),
  },
  artifact: {
    route: `GET ${base}/softwaremodules/{bundle_id}/artifacts/{name*}`,
    spec: ['API-DDI-artifact'],
    summary: 'Get a file of the update, or its MD5 sum with .MD5SUM behind the name; Range and HEAD are honoured',
    description: 'The link of the action has a ticket for a day: a client need not send its token to get the file.',
    query: Type.Object({ ticket: Type.Optional(Text(128)) }),
    reply: binary(),
  },
});
