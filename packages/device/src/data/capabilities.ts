import { Capabilities, capabilitiesLimitBytes, capabilitiesProblem } from '@moorage/api';
import { failure, type Result, schemaDemand, success } from '@moorage/base';
import Value from 'typebox/value';
import type { DeviceFiles } from '../ports.ts';

/** Why a capabilities file is none; `detail` says it in words. */
interface CapabilitiesFault {
  readonly kind: 'no-file' | 'malformed';
  readonly detail: string;
}

/** Reads what a capabilities file says. Spec: API-DATA-capabilities. Reference: data-cloud 2.3. */
export function parseCapabilities(bytes: Uint8Array): Result<Capabilities, CapabilitiesFault> {
  const malformed = (detail: string) => failure({ kind: 'malformed', detail } as const);
  if (bytes.length > capabilitiesLimitBytes) return malformed(`over ${capabilitiesLimitBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return malformed('no JSON');
  }
  if (!Value.Check(Capabilities, value)) {
    const [first] = Value.Errors(Capabilities, value);
    return malformed(first ? `${first.instancePath || '/'} ${schemaDemand(first)}` : '/ does not fit');
  }
  const problem = capabilitiesProblem(value);
  return problem === undefined ? success(value) : malformed(problem);
}

/** Reads a capabilities file of the device. */
export async function readCapabilities(
  files: Pick<DeviceFiles, 'readAll'>,
  name: string,
): Promise<Result<Capabilities, CapabilitiesFault>> {
  const content = await files.readAll(name, capabilitiesLimitBytes);
  if (content.ok) return parseCapabilities(content.value);
  return content.error === 'missing'
    ? failure({ kind: 'no-file', detail: name })
    : failure({ kind: 'malformed', detail: `over ${capabilitiesLimitBytes} bytes` });
}
