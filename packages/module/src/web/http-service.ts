import { defined, failure, type Result, success } from '@moorage/base';
import type { Interface, NetFailure, TlsServer } from '@moorage/net';
import { isPair, tlsErrorNumber } from '@moorage/net/tls-facts';
import type { Flash } from '../device/flash-files.ts';
import { decodeText } from '../interpreter/text.ts';
import type { NetworkService, RunningService } from '../services/service.ts';
import { netReason } from '../texts/reasons.ts';
import type { Phrase } from '../texts/texts.ts';
import type { WebParts } from './parts.ts';
import { type TlsFiles, type WebSettings, webSettings } from './settings.ts';
import { Site } from './site.ts';

/** Longest certificate or key file, in bytes. */
const maxPemBytes = 16 * 1024;

/** As the log calls it. */
const service = 'HTTP server';

/** Longest TLS handshake, in ms. */
const handshakeTimeoutMs = 15_000;

/**
 * The embedded HTTP server: web pages from flash and the REST API, on one interface while that is up.
 * Spec: MOD-RULE-http-server, MOD-RULE-http.
 */
export const httpService: NetworkService<WebParts> = {
  name: 'http',
  spec: 'MOD-RULE-http-server',
  wanted(parts) {
    if (parts.webSetup.active) return ['softap'];
    // Spec: MOD-VAR-http.server.enabled, MOD-VAR-http.server.interface, MOD-HTTP-interface.
    if (!parts.variables.get('http.server.enabled')) return [];
    return [parts.wlan.interfaceOf(parts.variables.get('http.server.interface'))];
  },
  start,
};

async function start(parts: WebParts, iface: Interface): Promise<RunningService | undefined> {
  const settings = webSettings(parts, iface);
  const tls = settings.tls && (await readTls(parts.flash, settings.tls));
  if (tls && !tls.ok) {
    parts.log.say('serviceNotStarted', { service, detail: tls.error });
    return undefined;
  }
  const site = new Site(parts, settings);
  const listener = await parts.net.listen(settings.port, (connection) => site.accept(connection), {
    ...(tls && {
      tls: tls.value,
      handshakeTimeoutMs,
      refused: (failed) => site.isStopped || sayHandshake(parts, failed),
    }),
  });
  if (!listener.ok) {
    parts.log.say('serviceNotStarted', { service, detail: netReason(listener.error) });
    return undefined;
  }
  parts.log.say(listeningText(settings), { port: settings.port });
  return {
    async stop() {
      site.stop();
      await listener.value.close();
    },
  };
}

/** As servers of streams do: nothing else says why a client gets no response. */
function sayHandshake({ log }: WebParts, failed: NetFailure): void {
  log.say('startingTls');
  log.say('tlsFailed', { error: tlsErrorNumber(failed) });
}

function listeningText({ tls, apiEnabled }: WebSettings) {
  if (tls) return apiEnabled ? 'httpsApiListening' : 'httpsListening';
  return apiEnabled ? 'httpApiListening' : 'httpListening';
}

/** Reads the files of TLS; the refusal says which is wrong. */
async function readTls(flash: Flash, files: TlsFiles): Promise<Result<TlsServer, Phrase>> {
  const [cert, key, clientCa] = await Promise.all([
    readPem(flash, files.cert),
    readPem(flash, files.key),
    files.clientCa === undefined ? undefined : readPem(flash, files.clientCa),
  ]);
  const missing = (name: string) => failure<Phrase>(['noFile', { name }]);
  if (cert === undefined) return missing(files.cert);
  if (key === undefined) return missing(files.key);
  // Without its authorities the server would let every client in, or none.
  if (files.clientCa !== undefined && clientCa === undefined) return missing(files.clientCa);
  // Otherwise each handshake would fail without a reason in the log.
  if (!isPair(cert, key)) return failure(['badCertificate', { cert: files.cert, key: files.key }]);
  return success({ cert, key, ...defined({ clientCa }) });
}

async function readPem(flash: Flash, name: string): Promise<string | undefined> {
  const content = await flash.readAll(name, maxPemBytes);
  return content.ok ? decodeText(content.value) : undefined;
}
