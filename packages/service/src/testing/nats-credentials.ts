import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

const unlimited = { subs: -1, data: -1, payload: -1 };
/** A limit that is not written is 0. */
const limits = { operator: {}, account: { limits: { ...unlimited, conn: -1, wildcards: true } }, user: unlimited };

/** A signed statement in the form of NATS. */
function statement(signer: nkeys.KeyPair, subject: nkeys.KeyPair, type: keyof typeof limits): string {
  const claims = {
    iat: 1_700_000_000,
    iss: signer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: type,
    nats: { type, version: 2, ...limits[type] },
  };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex');
  const head = base64url(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const signed = `${head}.${base64url(JSON.stringify({ jti, ...claims }))}`;
  return `${signed}.${base64url(signer.sign(Buffer.from(signed)))}`;
}

/** The configuration of a server with one account, and the credentials file of a user of it. */
export function natsCredentials(): { readonly config: string; readonly credentials: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const config = [
    `operator: ${statement(operator, operator, 'operator')}`,
    'resolver: MEMORY',
    `resolver_preload: { ${account.getPublicKey()}: ${statement(operator, account, 'account')} }`,
  ];
  const file = [
    '-----BEGIN NATS USER JWT-----',
    statement(account, user, 'user'),
    '------END NATS USER JWT------',
    '-----BEGIN USER NKEY SEED-----',
    Buffer.from(user.getSeed()).toString(),
    '------END USER NKEY SEED------',
  ];
  return { config: `${config.join('\n')}\n`, credentials: `${file.join('\n')}\n` };
}
