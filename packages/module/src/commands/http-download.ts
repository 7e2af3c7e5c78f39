import { defaultFileType, isFileName, maxNameLength } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, type DataSink, fail, needBytes, ok, type Reply, type Response } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { flagBits } from './file-reasons.ts';
import { fetchFile } from './http-fetch.ts';
import { maxManifestBytes, parseManifest, versionOrDefault } from './http-manifest.ts';
import { parseHttpUrl, withFileName } from './http-url.ts';
import { interfaceOption } from './interface-option.ts';

/** Spec: MOD-DL-order: options first, `-i` or `-m` before the others; other orders are taken too. */
/** In the order of the specification. */
const options = {
  manifest: {
    kind: 'value',
    flag: '-m',
    value: { kind: 'int', min: 2, max: maxManifestBytes, help: 'size of the manifest in bytes' },
    help: 'several files: a JSON manifest of that many bytes follows, and nothing else may be given',
  },
  iface: interfaceOption,
  keep: { kind: 'switch', flag: '-d', help: 'fail when there is a file of that name' },
  letters: { kind: 'letters', letters: 'eu', help: 'e: essential, u: unprotected' },
  crc: {
    kind: 'value',
    flag: '-c',
    value: { kind: 'hex', max: 0xffff, help: 'CRC16-CCITT of the file, in hex' },
    help: 'the file is valid only with this CRC',
  },
} as const;

const args = {
  url: { kind: 'word', optional: true, help: 'URL; %s in it stands for the file name' },
  name: { kind: 'word', maxLength: maxNameLength, optional: true, help: 'name in flash; that in the URL without it' },
  version: { kind: 'version', optional: true, help: 'version, 1.0.0 when it is left out or 0' },
  type: { kind: 'hex', max: 0xff, optional: true, help: 'file type in hex, FE when it is left out' },
  cert: { kind: 'file', optional: true, help: 'file with CA certificates; network.ca_cert without it' },
} as const;

const httpDownload = defineCommand({
  name: 'http_download',
  shortcut: 'hdo',
  group: 'http',
  spec: 'MOD-CMD-http_download',
  evidence: 'spec',
  summary: 'Download files into flash',
  example: 'http_download http://files.example/page.html page.html',
  waitsFor: 'join, connection, response',
  announces: ({ given }) => [given.get('manifest')],
  // Spec: MOD-RULE-option-order.
  optionOrder: 'stated',
  options,
  args,
  syntax:
    'http_download [-i <wlan/softap>] [-d] [-[e][u]] [-c <crc>] <url> [<name> [<version> [<type> [<cert>]]]] / -m <size>',
  run: (board, values, { signal }): Reply | Promise<Reply> => {
    const { manifest, url, name, version, type, cert, iface, letters, keep, crc } = values;
    if (manifest !== undefined) {
      // Spec: MOD-DL-m.
      const alone = [url, iface, crc].every((value) => value === undefined) && !keep && letters === '';
      return alone ? needBytes(manifest, manifestSink(board, signal)) : fail(codes.TOO_MANY);
    }
    if (url === undefined) return fail(codes.TOO_FEW);
    // Spec: MOD-DL-percent-s, MOD-DL-name.
    const parsed = url.includes('%s') && name === undefined ? undefined : parseHttpUrl(withFileName(url, name ?? ''));
    const fileName = name ?? parsed?.fileName;
    if (!parsed || fileName === undefined || !isFileName(fileName)) return fail(codes.INVALID);
    const file = {
      name: fileName,
      version: versionOrDefault(version),
      // Spec: MOD-DL-type, MOD-DL-eu, MOD-DL-c.
      type: type ?? defaultFileType,
      flags: flagBits(letters),
      crc,
      replace: !keep,
    };
    // Spec: MOD-DL-i, MOD-DL-cert, MOD-DL-url.
    return fetchFile(board, { url: parsed, iface, cert, file, signal }).then(({ ok: done }) => answer(board, done));
  },
});

const answer = (board: Board, done: boolean): Response =>
  done ? ok(board.personality.text('success')) : fail(codes.FAILED);

/** Takes a manifest, then downloads its files one after another; the first that fails is the last. */
function manifestSink(board: Board, signal: AbortSignal): DataSink {
  const chunks: Uint8Array[] = [];
  return {
    // The bytes stay here: the caller's may change.
    write: (chunk) => void chunks.push(Uint8Array.from(chunk)),
    end: async () => {
      const manifest = parseManifest(Buffer.concat(chunks).toString());
      if (!manifest.ok) {
        board.log.say('manifestMalformed');
        return fail(codes.INVALID);
      }
      const { cert, files } = manifest.value;
      for (const wanted of files) {
        const fetched = await fetchFile(board, { ...wanted, iface: undefined, cert, signal });
        if (!fetched.ok) return fail(codes.FAILED);
      }
      return answer(board, true);
    },
    abort: () => {},
  };
}

export const httpDownloadCommands: readonly Command<Board>[] = [httpDownload];
