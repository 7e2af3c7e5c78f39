import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

// A program beside the module: what comes by TCP or UDP goes back. Its first line tells the two ports; it ends with its
// input.
const host = '127.0.0.1';
const tcp = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.pipe(socket);
});
const udp = createSocket('udp4');
udp.on('message', (bytes, { address, port }) => udp.send(bytes, port, address));
tcp.listen(0, host, () => {
  udp.bind(0, host, () => {
    const address = tcp.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    console.log(JSON.stringify({ tcp: port, udp: udp.address().port }));
  });
});
process.stdin.resume();
process.stdin.on('end', () => process.exit());
