import { failure, type Result, schemaDemand, success } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

const closed = { additionalProperties: false } as const;

const Group = Type.Object(
  {
    role: Type.Optional(Type.Enum(['user', 'admin'])),
    products: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
        Type.Enum(['manager', 'tester']),
        closed,
      ),
    ),
  },
  closed,
);

const GroupFile = Type.Object(
  {
    /** Where the provider names the groups of a person. */
    claim: Type.Optional(Type.String({ minLength: 1 })),
    /** What the provider has to be asked for so that it does. */
    scopes: Type.Optional(Type.String({ minLength: 1 })),
    /** People in none of the groups come in all the same. */
    others: Type.Optional(Type.Boolean()),
    groups: Type.Record(Type.String(), Group),
  },
  closed,
);

/** What the groups of a provider are here. */
export type SsoGroups = Static<typeof GroupFile>;

/** A key that is not known is a slip of the pen, and would silently give no right. */
function problemOf(keyword: string, params: object): string {
  if (keyword !== 'additionalProperties') return schemaDemand({ keyword, params });
  return `has a key that is not known: ${Object.values(params).flat().join(', ')}`;
}

/** Reads the file of the groups. The error says where in it what is wrong. */
export function readGroups(text: string): Result<SsoGroups, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failure(`is not JSON: ${(error as Error).message}`);
  }
  if (Value.Check(GroupFile, value)) return success(value);
  // Beside each unknown key stands that nothing fits it.
  const first = Value.Errors(GroupFile, value).find(({ keyword }) => keyword !== 'boolean');
  const { instancePath = '', keyword = '', params = {} } = first ?? {};
  return failure(`is wrong at "${instancePath || '/'}": that ${problemOf(keyword, params)}`);
}

/** What a person's groups give them. */
export interface GroupRights {
  /** Nothing where no group gives the role of an administrator: then roles are given here. */
  readonly role: 'user' | 'admin' | undefined;
  /** All products that the file names. */
  readonly products: ReadonlyMap<string, 'manager' | 'tester' | undefined>;
}

/** What the groups of a person give them; undefined for one who is in none of those that come in. */
export function rightsOf(file: SsoGroups, claims: Readonly<Record<string, unknown>>): GroupRights | undefined {
  const named = new Set([claims[file.claim ?? 'groups'] ?? []].flat());
  const all = Object.entries(file.groups);
  const held = all.filter(([name]) => named.has(name)).map(([, group]) => group);
  if (held.length === 0 && !file.others) return undefined;
  const isManaged = all.some(([, { role }]) => role === 'admin');
  const role = held.some((group) => group.role === 'admin') ? 'admin' : 'user';
  const products = new Map<string, 'manager' | 'tester' | undefined>();
  for (const id of all.flatMap(([, group]) => Object.keys(group.products ?? {}))) {
    const roles = held.map((group) => group.products?.[id]);
    products.set(id, roles.find((one) => one === 'manager') ?? roles.find((one) => one !== undefined));
  }
  return { role: isManaged ? role : undefined, products };
}
