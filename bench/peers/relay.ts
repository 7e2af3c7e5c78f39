import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

// Passes what comes on to a server, plain or with TLS, and back: what any program in between costs. The arguments are
// the ports of both servers and a folder with `cert.pem`.
const [plainPort = '', tlsPort = '', folder = '.'] = process.argv.slice(2);
const host = '127.0.0.1';
const ca = readFileSync(`${folder}/cert.pem`);

const relayTo = (open: () => Duplex): Server =>
  createServer({ noDelay: true }, (near) => {
    const far = open();
    for (const end of [near, far]) end.on('error', () => end.destroy());
    near.pipe(far).pipe(near);
  });

const portOf = (server: Server): number | undefined => {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
};

const plain = relayTo(() => connect({ port: Number(plainPort), host, noDelay: true }));
const secured = relayTo(() => connectTls({ port: Number(tlsPort), host, ca }));
plain.listen(0, host, () => {
  secured.listen(0, host, () => {
    console.log(JSON.stringify({ plain: portOf(plain), tls: portOf(secured) }));
  });
});
