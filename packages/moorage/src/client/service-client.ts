import {
  type AnswerOf,
  type Client,
  createClient,
  type EndpointName,
  type ErrorCode,
  type InputOf,
  type Reply,
} from '@moorage/api';
import { UserError } from '../command-line/define.ts';
import type { Resolved } from '../command-line/options.ts';
import { ask } from '../command-line/terminal.ts';
import { defaultLoginsPath, readLogins } from './logins.ts';

/** Where a service is unless a setting or a saved login says otherwise. */
const usualApi = 'http://127.0.0.1:8080';

/** Settings of every command that is a client of a service. */
export const clientOptions = {
  api: {
    kind: 'text',
    placeholder: 'URL',
    help: 'address of the service',
    secret: false,
    defaultText: `that of the last login, else ${usualApi}`,
  },
  token: {
    kind: 'text',
    placeholder: 'TOKEN',
    help: 'bearer token',
    secret: true,
    defaultText: 'that of the saved login',
  },
  logins: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'file of saved logins',
    defaultText: '~/.config/moorage/logins.json',
  },
} as const;

export type ClientOptions = Resolved<typeof clientOptions>;

/** A refused call, by its status; 0 when the service cannot be reached. */
export class CallError extends UserError {
  readonly status: number;
  /** That of the refusal. */
  readonly code: string | undefined;
  /** What a login that needs a second factor is finished with. */
  readonly challenge: string | undefined;

  constructor(
    message: string,
    status: number,
    exitCode: number,
    {
      challenge,
      code,
      ...options
    }: ErrorOptions & { readonly challenge?: string | undefined; readonly code?: string } = {},
  ) {
    super(message, exitCode, options);
    this.status = status;
    this.code = code;
    this.challenge = challenge;
  }
}

/** Calls a service, and throws its refusals as errors that are printed. */
export interface ServiceClient {
  readonly api: string;
  readonly token: string | undefined;
  /** @throws {CallError} when the service refuses or cannot be reached */
  call<N extends EndpointName>(name: N, input: InputOf<N>): Promise<Reply<AnswerOf<N>>>;
  /**
   * Every item of a list, page after page.
   *
   * @throws {CallError} as `call`
   */
  all<T>(page: (query: { limit: number; offset: number }) => Promise<Reply<T[]>>, limit?: number): Promise<T[]>;
}

/** Longest wait for a response, in ms. */
const callTimeoutMs = 60_000;

/** As many as one page of the service may have. */
const pageRows = 500;

/** The address of a service as saved logins name it. @throws {UserError} when it is none */
function readApi(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UserError(`Option --api is "${text}", not an address such as ${usualApi}`, 2);
  }
  if (!/^https?:$/.test(url.protocol))
    throw new UserError(`Option --api is "${text}", not an http or https address`, 2);
  if (url.username !== '' || url.password !== '') {
    throw new UserError('Option --api has a password in it; "moorage login" keeps one', 2);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Which options of a command fields of a request come from, by the beginning of their names; the longest first. */
export type FieldSources = readonly (readonly [field: string, option: string])[];

const noSources: FieldSources = [];

function causeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return `no response in ${callTimeoutMs / 1000} s`;
  let message = String(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause) return String(cause.code);
    message = cause.message;
  }
  return message;
}

function refused(
  api: string,
  status: number,
  body: {
    readonly message: string;
    readonly code: string;
    readonly validation?: { readonly keys: string[] };
    readonly challenge?: string;
  },
  sources: FieldSources,
): CallError {
  if (body.code === ('UNAUTHENTICATED' satisfies ErrorCode)) {
    return new CallError(
      `${api} does not know this login (any more): log in with "moorage login --api ${api}"`,
      401,
      1,
    );
  }
  const key = body.validation?.keys[0];
  const source = key === undefined ? undefined : sources.find(([field]) => key.startsWith(field))?.[1];
  const where = source === undefined ? '' : `${source}: `;
  const { challenge, code } = body;
  return new CallError(`${where}${body.message}`, status, status === 400 ? 2 : 1, { challenge, code });
}

/** A client that throws. `sources` name the arguments that a refusal is about. */
export function throwingClient(
  api: string,
  token: string | undefined,
  sources = noSources,
  send: NonNullable<Parameters<typeof createClient>[0]['fetch']> = fetch,
): ServiceClient {
  const client = createClient({
    baseUrl: api,
    token,
    fetch: (url, init) => send(url, { ...init, signal: AbortSignal.timeout(callTimeoutMs) }),
  });
  // Safe: `InputOf` and `AnswerOf` are what the client's own signature makes of the name.
  const loose = client.call as <N extends EndpointName>(name: N, input: InputOf<N>) => ReturnType<Client['call']>;
  const one = {
    async call<N extends EndpointName>(name: N, input: InputOf<N>): Promise<Reply<AnswerOf<N>>> {
      const result = await loose(name, input).catch((error: unknown) => {
        throw new CallError(`${api} cannot be reached: ${causeOf(error)}`, 0, 1, { cause: error });
      });
      if (!result.ok) throw refused(api, result.error.status, result.error.body, sources);
      return result.value as Reply<AnswerOf<N>>;
    },
  };
  return {
    api,
    token,
    ...one,
    async all(page, limit = Number.POSITIVE_INFINITY) {
      const found = [];
      for (;;) {
        const { value, total = 0 } = await page({
          limit: Math.min(pageRows, limit - found.length),
          offset: found.length,
        });
        found.push(...value);
        if (value.length === 0 || found.length >= Math.min(total, limit)) return found;
      }
    },
  };
}

/** Asks for what an account could be taken by: the password of the user, or a code. @throws {UserError} without one */
async function prove(service: ServiceClient, refused: unknown): Promise<void> {
  const shown = await ask('Your password, or a code of your second factor, to show who you are: ', { isSecret: true });
  if (!shown) throw refused;
  await service.call('proof.show', { body: /^\d{6}$/.test(shown) ? { code: shown } : { current_password: shown } });
}

/** The same client, which asks for a fresh proof where the service wants one, and then calls again. */
const provingClient = (service: ServiceClient): ServiceClient => ({
  ...service,
  call: (name, input) =>
    service.call(name, input).catch(async (error: unknown) => {
      if (!(error instanceof CallError) || error.code !== ('PROOF_NEEDED' satisfies ErrorCode)) throw error;
      await prove(service, error);
      return service.call(name, input);
    }),
});

/** Where to find saved logins, and the service that is meant. @throws {UserError} for an address that is none */
export async function servicePlace({ api, logins: path = defaultLoginsPath() }: Omit<ClientOptions, 'token'>) {
  const logins = await readLogins(path);
  return { path, logins, api: readApi(api ?? logins.last ?? usualApi) };
}

/**
 * The client of a command, logged in.
 *
 * @throws {UserError} without a token and a saved login
 */
export async function connect(options: ClientOptions, sources?: FieldSources): Promise<ServiceClient> {
  const { api, logins } = await servicePlace(options);
  const token = options.token ?? logins.services[api]?.token;
  if (token === undefined) throw new UserError(`There is no login for ${api}: "moorage login --api ${api}" makes one`);
  return provingClient(throwingClient(api, token, sources));
}
