import type { SignUpPolicy } from '@moorage/api';
import { isLoopbackHost } from '../../engine/settings/setting-texts.ts';
import type { Settings } from '../../engine/settings/settings.ts';

/** Who may make an account: anybody only where nobody else can reach the service, unless the setting says so. */
export function signUpPolicy({
  signUp,
  host,
  publicUrl,
}: Pick<Settings, 'signUp' | 'host' | 'publicUrl'>): SignUpPolicy {
  const isAlone = isLoopbackHost(host) && (publicUrl === undefined || isLoopbackHost(new URL(publicUrl).hostname));
  return signUp ?? (isAlone ? 'open' : 'invite');
}
