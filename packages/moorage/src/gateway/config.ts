import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@moorage/base';
import type { Measured, ModuleIdentity, OpenOptions } from '@moorage/gateway';
import { UserError } from '../command-line/define.ts';
import { writeOwn } from '../files/private-file.ts';

/** A module that the gateway stands for, and how its command line is reached. */
export interface AdoptedModule extends ModuleIdentity, OpenOptions {
  readonly address: string;
  /** Code of the product that it is claimed for. */
  readonly product: string;
  /** A product that is not there is made. */
  readonly makesProduct?: boolean | undefined;
  /** What is asked of it with each poll. */
  readonly measured?: Measured | undefined;
  /** The service knows it as one of that product. */
  readonly isClaimed: boolean;
}

/** What a gateway keeps: where its service is, and the modules that it has adopted, with their passwords. */
export interface GatewayConfig {
  /** Names it to the service: a UUID. */
  readonly id?: string;
  /** Device listener, as `--service` has it. */
  readonly service?: string;
  readonly modules: readonly AdoptedModule[];
}

const pathOf = (folder: string): string => join(folder, 'gateway.json');

/** The config of a gateway's folder; an empty one for a new folder. @throws {UserError} when it cannot be used */
export async function readGatewayConfig(folder: string): Promise<GatewayConfig> {
  const path = pathOf(folder);
  try {
    const config = JSON.parse(await readFile(path, 'utf8')) as GatewayConfig;
    if (!Array.isArray(config.modules)) throw new Error('it has no list of modules');
    return config;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { modules: [] };
    throw new UserError(`"${path}" cannot be used: ${(error as Error).message}`, 1, { cause: error });
  }
}

/** Writes the config for its user alone (mode 0600), whole or not at all. */
export async function writeGatewayConfig(folder: string, config: GatewayConfig): Promise<void> {
  await writeOwn(pathOf(folder), `${JSON.stringify(config, null, 2)}\n`);
}
