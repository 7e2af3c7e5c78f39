import { createReadStream, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

// A bare Node server. The first argument says what it answers; with certificates it is HTTPS with client certificates.
const { text, file, tls } = JSON.parse(process.argv[2] ?? '{}') as {
  text?: string;
  file?: string;
  tls?: { ca: string; cert: string; key: string };
};

const body = Buffer.from(text ?? '');
const answerText: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
};
const size = file === undefined ? 0 : statSync(file).size;
const answerFile: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  createReadStream(file ?? '').pipe(response);
};
const listener = file === undefined ? answerText : answerFile;
const server = tls
  ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' }, listener)
  : createServer(listener);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : undefined }));
});
