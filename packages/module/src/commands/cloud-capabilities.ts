import { failure, ignoreFailure, parseVersion, type Result, success, type Version } from '@moorage/base';
import { parseCapabilities, readCapabilities } from '@moorage/device/data/capabilities';
import { fetchOffer, listOffers } from '@moorage/device/data/offers';
import { type FlashError, fileReasons, fileTypes, isFileName } from '../device/flash.ts';
import { maxFileVersion } from '../interpreter/arguments.ts';
import { codes, fail, lines, ok, type Response } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { refuse, refuseService } from './cloud-refusals.ts';
import { fetchFile } from './http-fetch.ts';
import { versionOrDefault } from './http-manifest.ts';
import { parseHttpUrl } from './http-url.ts';
import { runScript } from './setup.ts';

/** A download as the user wants it. */
interface DownloadRequest {
  /** Name of an offer, or a URL; the default offer without it. */
  readonly from: string | undefined;
  readonly version: Version | undefined;
  readonly script: boolean;
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** What has come into the flash; `script` is the one to run. */
type Fetched = Result<{ readonly file: string; readonly script: string | undefined }, Response>;

/** Spec: MOD-OPT-cloud_capabilities-list. */
async function list(board: Board): Promise<Response> {
  const offers = await listOffers(board.client);
  if (!offers.ok) return refuseService(board, offers.error);
  const { personality } = board;
  const rows = offers.value.map(({ name, version, default: isDefault }, index) =>
    personality.row('capabilities', index, name, version, isDefault ? 1 : 0),
  );
  return lines([personality.text('capabilitiesHead'), ...rows]);
}

function refuseFile(board: Board, error: FlashError): Response {
  // Names have been checked before.
  board.log.say(error === 'bad-name' ? 'fileMissing' : fileReasons[error]);
  return fail(codes.FAILED);
}

/** One of the files that the service offers. */
async function fetchOffered(board: Board, { from, version, script, keep, signal }: DownloadRequest): Promise<Fetched> {
  const { client } = board;
  const offers = await listOffers(client);
  if (!offers.ok) return failure(refuseService(board, offers.error));
  const offer = offers.value.find(({ name, default: isDefault }) => (from === undefined ? isDefault : name === from));
  if (!offer || !isFileName(offer.name)) {
    board.log.say('capabilitiesUnknown', { name: from ?? 'default' });
    return failure(fail(codes.FAILED));
  }
  // Spec: MOD-OPT-cloud_capabilities-d. It is not worth a download.
  if (keep && board.flash.stat(offer.name)) return failure(refuseFile(board, 'exists'));
  const fetched = await fetchOffer(client, offer, script);
  if (!fetched.ok) return failure(refuseService(board, fetched.error));
  if (signal.aborted) return failure(fail(codes.FAILED));
  const parsed = parseCapabilities(fetched.value.file);
  if (!parsed.ok) return failure(refuse(board, parsed.error));
  const offered = parseVersion(offer.version, maxFileVersion);
  // Spec: MOD-OPT-cloud_capabilities-version.
  const kept = version ?? (offered.ok ? offered.value : versionOrDefault(undefined));
  const stored = await store(board, {
    name: offer.name,
    content: fetched.value.file,
    type: fileTypes.capabilities,
    version: kept,
  });
  if (!stored.ok) return stored;
  if (fetched.value.script === undefined) return success({ file: offer.name, script: undefined });
  const name = scriptName(offer.name);
  const made = await store(board, {
    name,
    content: fetched.value.script,
    type: fileTypes.miscellaneous,
    version: kept,
  });
  return made.ok ? success({ file: offer.name, script: name }) : made;
}

const scriptName = (file: string): string => `${file.replace(/\.json$/, '')}.script`;

interface StoredFile {
  readonly name: string;
  readonly content: Uint8Array;
  readonly type: number;
  readonly version: Version;
}

async function store(board: Board, { name, content, type, version }: StoredFile): Promise<Result<void, Response>> {
  const writer = await board.flash.place({ name, size: content.length, version, type, flags: 0, replace: true });
  if (!writer.ok) return failure(refuseFile(board, writer.error));
  if (content.length > 0) await writer.value.append(content);
  const made = await writer.value.finish();
  return made.ok ? success(undefined) : failure(refuseFile(board, made.error));
}

/** A file from anywhere, and the script that lies beside it. */
async function fetchFrom(
  board: Board,
  text: string,
  { version, script, keep, signal }: DownloadRequest,
): Promise<Fetched> {
  const url = parseHttpUrl(text);
  if (!url || !isFileName(url.fileName)) return failure(fail(codes.INVALID));
  const file = { version: versionOrDefault(version), flags: 0, replace: !keep };
  const options = { iface: undefined, cert: undefined, signal };
  const fetched = await fetchFile(board, {
    url,
    ...options,
    file: { ...file, name: url.fileName, type: fileTypes.capabilities },
  });
  if (!fetched.ok) return failure(fail(codes.FAILED));
  const read = await readCapabilities(board.flash, url.fileName);
  if (!read.ok) {
    // The command fails for the file's contents, whether it stays or not.
    ignoreFailure(await board.flash.remove(url.fileName));
    return failure(refuse(board, read.error));
  }
  if (!script) return success({ file: url.fileName, script: undefined });
  const name = scriptName(url.fileName);
  const beside = { ...url, path: url.path.replace(/(\.json)?(\?.*)?$/, '.script$2'), fileName: name };
  const made = await fetchFile(board, {
    url: beside,
    ...options,
    file: { ...file, replace: true, name, type: fileTypes.miscellaneous },
  });
  return made.ok ? success({ file: url.fileName, script: name }) : failure(fail(codes.FAILED));
}

/** Spec: MOD-OPT-cloud_capabilities-download. */
async function download(board: Board, request: DownloadRequest): Promise<Response> {
  const { from, signal } = request;
  // Spec: MOD-OPT-cloud_capabilities-readonly.
  if (board.cloud.activated) return refuseLocked(board);
  const isUrl = from !== undefined && /^https?:\/\//i.test(from);
  const fetched = isUrl ? await fetchFrom(board, from, request) : await fetchOffered(board, request);
  if (!fetched.ok) return fetched.error;
  if (signal.aborted || board.cloud.activated) return fail(codes.FAILED);
  board.variables.set('cloud.capabilities', fetched.value.file);
  // Spec: MOD-OPT-cloud_capabilities-s.
  if (fetched.value.script !== undefined) return runScript(board, fetched.value.script, signal);
  return ok(board.personality.text('success'));
}

function refuseLocked(board: Board): Response {
  const { names } = board.personality;
  const variable = names.find('cloud.capabilities');
  board.log.say('variableLocked', { name: variable ? names.nameOf(variable) : '' });
  return fail(codes.FAILED);
}

/** Spec: MOD-OPT-cloud_capabilities-set. */
function set(board: Board, name: string): Response {
  if (board.cloud.activated) return refuseLocked(board);
  if (!isFileName(name)) return fail(codes.INVALID);
  if (!board.flash.stat(name)) return refuseFile(board, 'missing');
  board.variables.set('cloud.capabilities', name);
  return ok(board.personality.text('setOk'));
}

/** How many words each action takes behind it. */
const actionWords = { download: [0, 2], get: [0, 0], list: [0, 0], set: [1, 1] } as const;

export const cloudCapabilities = defineCommand({
  name: 'cloud_capabilities',
  shortcut: 'gca',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_capabilities',
  evidence: 'spec',
  summary: 'List, download, get or set the file that says what the device can do',
  example: 'cloud_capabilities set capabilities.json',
  waitsFor: 'service',
  syntax: 'cloud_capabilities list / download [<filename/URL> [<version>]] [-s] [-d] / get / set <filename>',
  options: {
    script: { kind: 'switch', flag: '-s', help: 'run the setup script that goes with the file' },
    keep: { kind: 'switch', flag: '-d', help: 'fail when there is a file of that name' },
  },
  args: {
    action: { kind: 'choice', choices: ['list', 'download', 'get', 'set'], help: 'what to do' },
    file: { kind: 'file', maxLength: 512, optional: true, help: 'file on offer, or URL; file in flash' },
    version: { kind: 'version', optional: true, help: 'version that the file gets in flash' },
  },
  run: (board, { action, file, version, script, keep }, { signal }) => {
    const words = [file, version].filter((word) => word !== undefined).length;
    const [least, most] = actionWords[action];
    if (words < least) return fail(codes.TOO_FEW);
    if (words > most || ((script || keep) && action !== 'download')) return fail(codes.TOO_MANY);
    if (action === 'list') return list(board);
    if (action === 'download') return download(board, { from: file, version, script, keep, signal });
    // Spec: MOD-OPT-cloud_capabilities-get.
    return action === 'get' ? ok(board.variables.get('cloud.capabilities')) : set(board, file ?? '');
  },
});
