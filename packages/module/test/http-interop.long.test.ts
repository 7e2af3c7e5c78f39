import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@moorage/base';
import { nodeNet } from '@moorage/net/node';
import { testCertificates } from '@moorage/net/testing/certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinedModule } from '../src/testing/http-rig.ts';
import { hasProgram } from './interop.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const big = Buffer.from(Array.from({ length: 400_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));

const config = (folder: string, port: number, tlsPort: number): string => `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  types { text/html html; }
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
    root ${folder}/www;
    location /moved { return 302 /index.html; }
    # Answers of unknown length are chunked.
    location /chunked/ { ssi on; }
    location /echo { client_max_body_size 1m; return 200 "$request_method $content_length $content_type"; }
  }
}
`;

describe.skipIf(!hasProgram('nginx'))('nginx (skipped where it is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-nginx-'));
  let nginx: ChildProcess | undefined;
  let plain = '';
  let secure = '';
  let ca = '';

  beforeAll(async () => {
    const certificates = await testCertificates();
    ca = certificates.ca;
    mkdirSync(join(folder, 'www/chunked'), { recursive: true });
    writeFileSync(join(folder, 'cert.pem'), certificates.server.cert);
    writeFileSync(join(folder, 'key.pem'), certificates.server.key);
    writeFileSync(join(folder, 'www/index.html'), 'hello');
    writeFileSync(join(folder, 'www/big.bin'), big);
    writeFileSync(join(folder, 'www/chunked/page.html'), 'before <!--# echo var="request_method" --> after');
    const ports = [await freePort(), await freePort()] as const;
    writeFileSync(join(folder, 'nginx.conf'), config(folder, ...ports));
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    plain = `http://127.0.0.1:${ports[0]}`;
    secure = `https://127.0.0.1:${ports[1]}`;
    // It listens a moment after it has been started; there is no other sign of that.
    for (let tries = 0; tries < 2000; tries++) {
      const status = await fetch(plain).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
    }
    throw new Error('nginx did not start');
  });

  afterAll(() => {
    nginx?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function joined() {
    const parts = await joinedModule(
      nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false }),
      new VirtualClock(),
      'sockets',
    );
    await parts.join();
    await parts.run(`fcr ca.pem ${Buffer.byteLength(ca)}`, ca);
    return parts;
  }

  test.each(['plain', 'secure'])('a page, chunks, a redirect and a refusal, %s', async (way) => {
    const rig = await joined();
    const base = way === 'plain' ? plain : secure;
    expect(await rig.run(`hge ${base}/index.html`)).toMatch(/\|0 0$/);
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    expect(await rig.run('read 0 100')).toBe('[Closed: 0]|0 hello');
    await rig.run(`hge ${base}/chunked/page.html`);
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|Chunked response|0 200');
    expect(await rig.run('read 0 100')).toBe('[Closed: 0]|0 before GET after');
    await rig.run(`hge ${base}/moved`);
    expect(await rig.run('hre 0')).toBe('HTTP response: 302|0 302');
    await rig.run('close 0');
    await rig.run(`hhe ${base}/absent`);
    expect(await rig.run('hre 0')).toBe('HTTP response: 404|0 404');
    await rig.module.close();
  });

  test.each(['plain', 'secure'])('a post, an upload and a download, %s', async (way) => {
    const rig = await joined();
    const base = way === 'plain' ? plain : secure;
    await rig.run(`hpo -o ${base}/echo text/plain`);
    await rig.run('write 0 5', 'hello');
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    expect(await rig.run('read 0 100')).toBe('[Closed: 0]|0 POST 5 text/plain');
    expect(await rig.run(`hup ${base}/echo ca.pem ca.pem`)).toMatch(/HTTP response: 200\|\[Closed: 0\]\|0 Success$/);
    expect(await rig.run(`hdo ${base}/big.bin`)).toMatch(/File downloaded\|\[Closed: 0\]\|0 Success$/);
    const content = await rig.module.flash.readAll('big.bin', big.length);
    const hash = createHash('sha256')
      .update(content.ok ? content.value : '')
      .digest('hex');
    expect(hash).toBe(createHash('sha256').update(big).digest('hex'));
    await rig.module.close();
  });
});
