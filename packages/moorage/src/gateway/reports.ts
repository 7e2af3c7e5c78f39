import { foundLimit, type SeenModule } from '@moorage/api';
import { type Clock, repeat } from '@moorage/base';
import type { FoundModule } from '@moorage/gateway';
import type { ServiceClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';

/** How often the service is told, and how often modules are looked for anew, in ms. */
const reportMs = 10_000;
const searchMs = 60_000;

/** What the service asks the gateway to adopt. */
export interface AskedAdoption {
  readonly address: string;
  /** Who it has to be; `null` when it was not seen who it is. */
  readonly mac: string | null;
  readonly product_id: string;
}

interface ReportParts {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly id: string;
  /** What the gateway calls itself. */
  readonly name: string;
  readonly login: () => Promise<ServiceClient>;
  /** Looks for modules. */
  readonly search: () => Promise<readonly FoundModule[]>;
  /** Whether the gateway stands for a module already. */
  readonly hasAdopted: (module: FoundModule) => boolean;
  readonly adopt: (asked: AskedAdoption) => Promise<void>;
}

/** What strangers say of themselves may hold anything. */
const clean = (text: string | undefined, maxLength: number): string | undefined =>
  text?.replaceAll(/[\u0000-\u001f\u007f]/g, ' ').slice(0, maxLength);

function seenOf(module: FoundModule, problem: string | undefined): SeenModule {
  const { addresses, mac, signalDbm, hasPassword } = module;
  const isSignal = signalDbm !== undefined && Number.isInteger(signalDbm) && signalDbm >= -200 && signalDbm <= 0;
  const facts = {
    mac,
    version: clean(module.version, 256),
    board: clean(module.board, 64),
    ssid: clean(module.ssid, 64),
    signal: isSignal ? signalDbm : undefined,
    has_password: hasPassword,
    problem: clean(problem, 1_000),
  };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { ...known, address: clean(addresses[0], 256) ?? '' };
}

/** Reports to the service what a gateway has found, and has it adopt what is asked for there, until the returned function is called. */
export function reportFoundModules(parts: ReportParts): () => Promise<void> {
  const { clock, reporter, id, name, login, search, hasAdopted, adopt } = parts;
  let found: readonly FoundModule[] | undefined;
  let searchAtMs = Number.NEGATIVE_INFINITY;
  /** Why modules could not be adopted, by their addresses, until the service has heard of it. */
  const problems = new Map<string, string>();
  let trouble: string | undefined;
  const stopped = Promise.withResolvers<void>();
  const begin = (): void => {
    if (clock.monotonic() < searchAtMs) return;
    searchAtMs = clock.monotonic() + searchMs;
    search().then(
      (modules) => {
        found = modules;
      },
      (error: unknown) => reporter.say(`The search for modules failed: ${error}`),
    );
  };
  const report = async (): Promise<readonly AskedAdoption[]> => {
    const strangers = (found ?? []).filter((module) => module.addresses.length > 0 && !hasAdopted(module));
    const modules = strangers.slice(0, foundLimit).map((one) => seenOf(one, problems.get(one.addresses[0] ?? '')));
    const service = await login();
    const call = { params: { gateway_id: id }, body: { gateway: name, modules } };
    const { adopt: asked } = (await service.call('gateways.report', call)).value;
    problems.clear();
    return asked;
  };
  begin();
  const stop = repeat({ clock, pauseMs: reportMs, onError: (error) => tell(String(error)) }, async (isOver) => {
    begin();
    // What is adopted while the first search runs would be forgotten.
    if (found === undefined) return;
    for (const asked of await report()) {
      if (isOver()) return;
      const adopted = adopt(asked).catch((error: unknown) => {
        if (isOver()) return;
        const why = error instanceof UserError ? error.message : String(error);
        problems.set(asked.address, why);
        reporter.event('not-adopted', { address: asked.address, why }, why);
      });
      // A module that answers slowly does not keep the program: the next start goes on where this one was.
      await Promise.race([adopted, stopped.promise]);
    }
    trouble = undefined;
  });
  return () => {
    stopped.resolve();
    return stop();
  };
  function tell(text: string): void {
    if (text !== trouble)
      reporter.event('unreported', { why: text }, `The service does not hear what is found: ${text}`);
    trouble = text;
  }
}
