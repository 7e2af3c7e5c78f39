import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const blockBytes = 512;

/** One file of a tar in the plain form of ustar. */
function entry(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0);
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write('0', 156);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}

/** A tar of these files, in their order. */
export const tarOf = (files: Readonly<Record<string, Buffer>>): Buffer =>
  Buffer.concat([
    ...Object.entries(files).map(([name, content]) => entry(name, content)),
    Buffer.alloc(2 * blockBytes),
  ]);

/** An artifact for Mender with one file. */
export function menderArtifact(name: string, deviceTypes: readonly string[], payload = Buffer.from(name)): Buffer {
  const info = { payloads: [{ type: 'single-file' }], artifact_provides: { artifact_name: name } };
  const depends = { artifact_depends: { device_type: deviceTypes } };
  const version = Buffer.from('{"format":"mender","version":3}');
  const typeInfo = Buffer.from('{"type":"single-file"}');
  const header = tarOf({
    'header-info': Buffer.from(JSON.stringify({ ...info, ...depends })),
    'headers/0000/type-info': typeInfo,
  });
  const manifest = Buffer.from(`${hash('sha256', version)}  version\n${hash('sha256', payload)}  data/0000/file\n`);
  return tarOf({
    version,
    manifest,
    'header.tar.gz': gzipSync(header),
    'data/0000.tar.gz': gzipSync(tarOf({ file: payload })),
  });
}
