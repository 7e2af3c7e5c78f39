import type { Interface } from '@moorage/net';
import { stationNames } from '../services/dns-server.ts';
import { hostName } from '../services/host-name.ts';
import type { VariableStore } from '../variables/store.ts';
import type { WebParts } from './parts.ts';

/** What a running server goes by. Changes of the variables act when the interface restarts. */
export interface WebSettings {
  readonly inSetup: boolean;
  readonly iface: Interface;
  /** Names by which browsers may call the module. */
  readonly names: readonly string[];
  readonly port: number;
  /** TCP clients at a time. */
  readonly maxClients: number;
  readonly apiEnabled: boolean;
  /** Empty: no CORS. */
  readonly corsOrigin: string;
  readonly rootFile: string;
  readonly notFoundFile: string;
  readonly deniedFile: string;
  /** Both empty unless authorization is on. */
  readonly username: string;
  readonly password: string;
  readonly tls: TlsFiles | undefined;
  /** Name of the private key's file, which is never served. */
  readonly keyFile: string;
}

/** Names of the files that TLS takes its certificates from. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities of the clients; `undefined` asks clients for nothing. */
  readonly clientCa: string | undefined;
}

/** The variables as they are now. Web setup has a page of its own and knows no passwords. */
export function webSettings(parts: WebParts, iface: Interface): WebSettings {
  const { variables } = parts;
  const inSetup = parts.webSetup.active;
  // Spec: MOD-AUTH-2, MOD-VAR-http.server.username, MOD-VAR-http.server.password.
  const username = variables.get('http.server.username');
  const password = variables.get('http.server.password');
  const locked = !inSetup && username !== '' && password !== '';
  return {
    inSetup,
    iface,
    names: [hostName(parts), `${hostName(parts)}.local`, ...(iface === 'softap' ? stationNames(parts) : [])],
    // Spec: MOD-VAR-http.server.port.
    port: variables.get('http.server.port'),
    // Spec: MOD-VAR-http.server.max_clients.
    maxClients: variables.get('http.server.max_clients'),
    // Spec: MOD-VAR-http.server.api_enabled. Without it the pages of web setup could do nothing.
    apiEnabled: inSetup || variables.get('http.server.api_enabled'),
    // Spec: MOD-VAR-http.server.cors_origin.
    corsOrigin: variables.get('http.server.cors_origin'),
    // Spec: MOD-VAR-http.server.root_filename, MOD-VAR-setup.web.root_filename.
    rootFile: variables.get(inSetup ? 'setup.web.root_filename' : 'http.server.root_filename'),
    // Spec: MOD-VAR-http.server.notfound_filename.
    notFoundFile: variables.get('http.server.notfound_filename'),
    // Spec: MOD-VAR-http.server.denied_filename.
    deniedFile: variables.get('http.server.denied_filename'),
    username: locked ? username : '',
    password: locked ? password : '',
    tls: tlsFiles(variables, inSetup),
    keyFile: variables.get('http.server.tls_key'),
  };
}

function tlsFiles(variables: VariableStore, inSetup: boolean): TlsFiles | undefined {
  // Spec: MOD-VAR-http.server.tls_enabled. A phone that opens the setup page trusts no certificate that a module has.
  if (inSetup || !variables.get('http.server.tls_enabled')) return undefined;
  return {
    // Spec: MOD-VAR-http.server.tls_cert, MOD-VAR-http.server.tls_key.
    cert: variables.get('http.server.tls_cert'),
    key: variables.get('http.server.tls_key'),
    // Spec: MOD-VAR-http.server.tls_verify_peer.
    clientCa: variables.get('http.server.tls_verify_peer') ? variables.get('network.ca_cert') : undefined,
  };
}
