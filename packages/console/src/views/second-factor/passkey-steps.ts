import type { PasskeyRequest, SessionRecord } from '@moorage/api';
import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { ApiError, call } from '../../api/client.ts';
import { t } from '../../texts/passkeys.ts';

/** What went wrong between the browser and what holds the passkey, in words for its user. */
function inWords(error: unknown): never {
  const { name, code } = error instanceof WebAuthnError ? error : { name: '', code: '' };
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') throw new ApiError(0, 'WRONG_PASSKEY', t.isThereAlready);
  if (['NotAllowedError', 'AbortError'].includes(name)) throw new ApiError(0, 'WRONG_PASSKEY', t.nothingWasShown);
  throw error;
}

/** Makes a passkey and adds it to the account. The recovery codes, where there were none. */
export async function addPasskey(title: string): Promise<readonly string[]> {
  const { options } = (await call('passkeys.register', {})).value;
  const credential = await startRegistration({ optionsJSON: options }).catch(inWords);
  return (await call('passkeys.add', { body: { title, credential } })).value.recovery_codes;
}

/** Finishes a sign-in with a passkey: the second step of a login, whose challenge it is, or all of it. */
export async function finishWithPasskey(options: PasskeyRequest, challenge?: string): Promise<SessionRecord> {
  const credential = await startAuthentication({ optionsJSON: options }).catch(inWords);
  return (await call('passkeys.open', { body: { credential, ...(challenge !== undefined && { challenge }) } })).value;
}

/** What a passkey of any account is to sign. */
async function toSign(): Promise<PasskeyRequest> {
  const { options } = (await call('passkeys.begin', { body: {} })).value;
  if (!options) throw new ApiError(0, 'WRONG_PASSKEY', t.nothingWasShown);
  return options;
}

/** Signs in with a passkey alone. */
export const signInWithPasskey = async (): Promise<SessionRecord> => finishWithPasskey(await toSign());

/** Shows with a passkey who is signed in. */
export async function proveByPasskey(): Promise<void> {
  const credential = await startAuthentication({ optionsJSON: await toSign() }).catch(inWords);
  await call('proof.show', { body: { credential } });
}
