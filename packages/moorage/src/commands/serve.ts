import { resolveSettings, type Settings, settingsTable } from '@moorage/service/engine/settings/settings';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { onHangup, stopOnSignal } from '../command-line/lifecycle.ts';
import { type OptionSources, type OptionTable, readSecretFiles } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';

/** Lets the listeners of a command be reached from other machines. */
export const lanOption = {
  'listen-lan': { kind: 'switch', help: 'allow addresses outside the loopback range' },
} as const;

/** A command's own options beside those of the service, whose values only `readServiceSettings` gives. */
export const withServiceOptions = <T extends OptionTable>(own: T): T => ({ ...settingsTable, ...own });

/** The service's settings out of everything that a command was given. */
export function readServiceSettings(sources: OptionSources): Settings {
  const complete = readSecretFiles(settingsTable, sources);
  if (!complete.ok) throw new UserError(complete.error, 2);
  const resolved = resolveSettings(complete.value);
  if (!resolved.ok) throw new UserError(resolved.error, 2);
  return resolved.value;
}

/**
 * Prints the first administrator at once, and as an event too when `flush` is called, after `ready`. A password that
 * the user has chosen is known already and is not printed.
 */
export function administratorNotice(
  reporter: Reporter,
  json: boolean,
  { adminPassword }: Pick<Settings, 'adminPassword'>,
): { announce(email: string, password: string): void; flush(): void } {
  let made: { email: string; password?: string } | undefined;
  return {
    announce(email, password) {
      const chosen = adminPassword !== undefined;
      made = { email, ...(!chosen && { password }) };
      const how = chosen ? 'the password that was set for it' : `password ${password} (shown this once)`;
      const text = `First run: the administrator is ${email} with ${how}\n`;
      // The first line of JSON output is `ready`; until then prose goes to the other stream.
      (json ? process.stderr : process.stdout).write(text);
    },
    flush: () => void (made && reporter.event('administrator', made)),
  };
}

export const serveCommand = defineCliCommand({
  name: 'serve',
  summary: 'The service alone',
  options: withServiceOptions(lanOption),
  async run({ options, sources, reporter, json }) {
    const settings = readServiceSettings(sources);
    const notice = administratorNotice(reporter, json, settings);
    const { startService } = await import('../service/run.ts');
    const { reload, watchFiles } = await import('../service/reload.ts');
    const watch = watchFiles(settings, sources);
    const running = await startService(settings, notice.announce, {
      listenLan: options['listen-lan'],
    });
    await running.watchData(stopOnSignal(running.stop));
    const reloading = { service: running.service, reporter, sources, read: readServiceSettings };
    onHangup(() => reload(reloading));
    watch(reloading);
    const { api, console, devices, deviceNames, ops } = running.addresses;
    reporter.event(
      'ready',
      { ...running.addresses },
      `Console: ${console}\nAPI: ${api} (documentation: ${api}/docs)\nDevices: ${devices}\nDevice names: ${deviceNames.join(', ')}${ops === undefined ? '' : `\nMonitors: ${ops}/metrics`}`,
    );
    notice.flush();
  },
});
