import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

// A server at the far end of a stream, plain and with TLS: `g SIZE` and a line end gives SIZE bytes, `t SIZE` and a line
// end takes SIZE bytes and answers one. The argument is a folder with `cert.pem` and `key.pem`.
const folder = process.argv[2] ?? '.';
const piece = Buffer.alloc(1024 * 1024, 'moorage');

function serve(socket: Socket): void {
  let missing = 0;
  const take = (count: number): void => {
    missing -= count;
    if (missing === 0) socket.write('k');
  };
  const give = (left: number): void => {
    for (let rest = left; rest > 0; rest -= piece.length) {
      const part = piece.subarray(0, Math.min(rest, piece.length));
      if (!socket.write(part) && rest > part.length) {
        socket.once('drain', () => give(rest - part.length));
        return;
      }
    }
  };
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) return take(chunk.length);
    const end = chunk.indexOf('\n');
    const size = Number(chunk.toString('latin1', 2, end));
    if (chunk[0] === 0x67) give(size);
    else {
      missing = size;
      if (chunk.length > end + 1) take(chunk.length - end - 1);
    }
  });
}

const portOf = (server: ReturnType<typeof createServer>): number | undefined => {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
};

const plain = createServer(serve);
const secured = createTlsServer(
  { cert: readFileSync(`${folder}/cert.pem`), key: readFileSync(`${folder}/key.pem`) },
  serve,
);
plain.listen(0, '127.0.0.1', () => {
  secured.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ plain: portOf(plain), tls: portOf(secured) }));
  });
});
