import { createServer } from 'node:net';

// A bare TCP server of bytes. `t SIZE` and a line end: takes SIZE bytes and answers one. `g SIZE` and a line end: gives
// SIZE bytes.
const spare = Buffer.alloc(1024 * 1024, 'moorage');

const server = createServer({ noDelay: true }, (socket) => {
  /** Bytes of a `t` that are still to come. */
  let missing = 0;
  const take = (count: number): void => {
    missing -= count;
    if (missing === 0) socket.write('k');
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) return take(chunk.length);
    const end = chunk.indexOf('\n');
    const size = Number(chunk.toString('latin1', 2, end));
    if (chunk[0] === 0x67) socket.write(spare.subarray(0, size));
    else {
      missing = size;
      take(chunk.length - end - 1);
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : undefined }));
});
