import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

// A bare Node server that streams a part of a file: from the first byte of the range on.
const file = process.argv[2] ?? '';
const { size } = statSync(file);
const server = createServer((request, response) => {
  const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'content-length': size - start, 'content-range': `bytes ${start}-${size - 1}/${size}` };
  response.writeHead(206, headers);
  createReadStream(file, { start }).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : undefined }));
});
