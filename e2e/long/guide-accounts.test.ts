import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOidcProvider } from '@moorage/service/testing/oidc-provider';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

afterEach(killAll);

const program = fileURLToPath(new URL('../../bin/moorage', import.meta.url));

test.skipIf(!hasPrograms('curl', 'bash'))(
  'the guide to accounts works as it stands (needs curl and bash)',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
    const publicUrl = 'https://hub.example';
    const provider = await startOidcProvider({ redirectUri: `${publicUrl}/sso`, signedOutUri: `${publicUrl}/` });
    const service = moorage(
      ['serve', '--data', data, '--port', '0', '--device-port', '0', '--json', '--smtp-url', 'smtp://127.0.0.1:2525'],
      {
        MOORAGE_ADMIN_PASSWORD: 'correct horse',
        MOORAGE_PUBLIC_URL: publicUrl,
        MOORAGE_OIDC_ISSUER: provider.issuer,
        MOORAGE_OIDC_CLIENT_ID: provider.clientId,
        MOORAGE_OIDC_NAME: 'Harbour ID',
      },
    );
    const { api } = await eventOf(service, 'ready');
    // The provider runs in this process, which stands still while the script runs: the service asks it before.
    const headers = { 'content-type': 'application/json', 'x-console': '1' };
    expect((await fetch(`${api}/api/auth/sso`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
    const script = (await blocksOf('accounts.md', 'sh')).join('\n');
    const command = `moorage() { '${process.execPath}' '${program}' "$@"; }\n`;
    const run = runScript(command + script.replace('http://127.0.0.1:8080', String(api)));
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    expect(run.stdout.split('\n').filter((line) => line !== '')).toEqual([
      '"username":"admin"',
      expect.stringMatching(/^\[.*\]$/),
      '"message":"The token lacks the scope \\"all\\"","code":"TOKEN_SCOPE"',
      '"result":"ok"',
      '"scopes":["read"]',
      '"scopes":["all"]',
      expect.stringMatching(/^Service account admin-\S+:ci made; it needs a token$/),
      'shown this once',
      expect.stringMatching(/^Service account admin-\S+:ci is disabled$/),
      '1 service account',
      'otpauth://totp/Moorage',
      '{"needed":false,"totp":null,"passkeys":0,"recovery_codes":0}',
      '"second_factor":"optional"',
      '"passkeys":"https://hub.example"',
      '"rpId":"hub.example"',
      '"code":"WRONG_LOGIN"',
      '"message":"A login failed"',
      '"role":"maintainer"',
      '"sso":"Harbour ID"',
      'code_challenge_method=S256',
      expect.stringMatching(/^row +when \(UTC\) +user/),
      expect.stringMatching(/ admin +Login +127\.0\.0\.1 +customers\.addUser /),
      '1 change',
      'written',
      'The audit is whole',
      'The audit is whole',
      '{"result":"ok"}',
    ]);
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await provider.close();
    await rm(data, { recursive: true });
  },
);
