import { readFileSync } from 'node:fs';
import type { Service } from '@moorage/service';
import { type Settings, whyNotTogether } from '@moorage/service/engine/settings/settings';
import { UserError } from '../command-line/define.ts';
import { type OptionSources, readConfigFile } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { type CertificateSettings, readCertificates } from '../files/certificate-files.ts';

/** How often the files are looked at, in ms. */
const lookMs = 2_000;

/** What is read again while the service runs. */
interface Reloading {
  readonly service: Pick<Service, 'useCertificates' | 'setLogLevel' | 'deps'>;
  readonly reporter: Reporter;
  readonly sources: OptionSources;
  /** The settings that sources give. */
  readonly read: (sources: OptionSources) => Settings;
}

const configPathOf = ({ flags, env }: OptionSources): string | undefined => {
  const path = flags.config ?? env.MOORAGE_CONFIG;
  return typeof path === 'string' ? path : undefined;
};

/** Flags and variables are those of the start; the config file may have changed. */
function sourcesNow(sources: OptionSources): OptionSources {
  const path = configPathOf(sources);
  const file = path === undefined ? undefined : readConfigFile(path);
  if (file && !file.ok) throw new UserError(file.error);
  return { ...sources, file: file?.value ?? {} };
}

/** Reads certificates and the level of the log again. What is wrong with them is logged, and changes nothing. */
export function reload({ service, reporter, sources, read }: Reloading): void {
  try {
    const settings = read(sourcesNow(sources));
    const problem = whyNotTogether(settings);
    if (problem !== undefined) throw new UserError(problem);
    const certificates = readCertificates(settings);
    service.useCertificates(certificates);
    service.setLogLevel(settings.logLevel);
    const { logLevel } = settings;
    reporter.event('reloaded', { logLevel }, `Certificates are read again; the level of the log is ${logLevel}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    service.deps.log.error(`What was to be reloaded stays as it was. ${error.message}`);
  }
}

/** What the files hold, in one text; one that cannot be read holds nothing. */
function contentsOf(paths: readonly string[]): string {
  const texts = paths.map((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  });
  return texts.join('\0');
}

/**
 * Notes what the files hold that are read at start. What is returned reloads from then on when they hold something
 * else, once they have held it for two looks: a certificate and its key are written one after the other.
 */
export function watchFiles(settings: CertificateSettings, sources: OptionSources): (reloading: Reloading) => void {
  const { deviceCert, deviceKey, tlsCert, tlsKey } = settings;
  const named = [deviceCert, deviceKey, tlsCert, tlsKey, configPathOf(sources)];
  const paths = named.filter((path) => path !== undefined);
  let loaded = contentsOf(paths);
  let seen = loaded;
  return (reloading) => {
    const look = (): void => {
      const now = contentsOf(paths);
      if (now !== loaded && now === seen) {
        loaded = now;
        reload(reloading);
      }
      seen = now;
    };
    if (paths.length > 0) setInterval(look, lookMs).unref();
  };
}
