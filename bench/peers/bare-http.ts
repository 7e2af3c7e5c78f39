import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';

// A bare Node server. The first argument says what it answers; with certificates it is HTTPS with client certificates.
const { text, file, store, parse, tls } = JSON.parse(process.argv[2] ?? '{}') as {
  text?: string;
  file?: string;
  store?: boolean;
  parse?: boolean;
  tls?: { ca: string; cert: string; key: string };
};

const body = Buffer.from(text ?? '');
const answerText: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
};
const parseAndAnswer: RequestListener = (request, response) => {
  let json = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    json += part;
  });
  request.on('end', () => {
    JSON.parse(json);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
};
const size = file === undefined ? 0 : statSync(file).size;
const answerFile: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  createReadStream(file ?? '').pipe(response);
};
const folder = store ? mkdtempSync(join(tmpdir(), 'moorage-bench-')) : '';
process.stdin.resume().once('end', () => {
  if (store) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
let stored = 0;
/** Streams a body to a file that is synced, and forgets it. */
const storeFile: RequestListener = (request, response) => {
  const path = join(folder, String(stored++));
  pipeline(request, createWriteStream(path, { flush: true }), (error) => {
    rmSync(path, { force: true });
    if (error) response.destroy();
    else response.writeHead(200, { 'content-length': 2 }).end('{}');
  });
};
const listenerOf = (): RequestListener => {
  if (store) return storeFile;
  if (parse) return parseAndAnswer;
  return file === undefined ? answerText : answerFile;
};
const listener = listenerOf();
const server = tls
  ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' }, listener)
  : createServer(listener);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : undefined }));
});
