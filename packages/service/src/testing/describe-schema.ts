import { type RawBuilder, sql } from 'kysely';
import type { Storage } from '../engine/db/storage.ts';

type Facts = RawBuilder<{ fact: string }>;

/** Tables that the migrator keeps for itself, and those that a search makes for itself, are not ours to describe. */
const sqliteTables = sql`
  (select name, wr, strict from pragma_table_list
    where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite~_%' escape '~'
      and name not like 'kysely~_%' escape '~')`;

const sqliteFacts: readonly Facts[] = [
  sql`select 'table ' || name || iif(strict, ' strict', '') || iif(wr, ' without rowid', '') as fact from ${sqliteTables}`,
  sql`select 'column ' || t.name || '.' || c.name || ' ' || c.type || iif(c."notnull", ' not null', '')
      || coalesce(' default ' || c.dflt_value, '') || iif(c.pk, ' key ' || c.pk, '')
      || iif(c.pk and x.sql like '%autoincrement%', ' autoincrement', '') as fact
    from ${sqliteTables} t join pragma_table_info(t.name) c join sqlite_schema x on x.name = t.name`,
  sql`select 'reference ' || t.name || '.' || f."from" || ' ' || f."table" || '.' || f."to"
      || ' on delete ' || f.on_delete || ' on update ' || f.on_update as fact
    from ${sqliteTables} t join pragma_foreign_key_list(t.name) f`,
  sql`select 'unique ' || name || ' ' || group_concat(column, ', ') as fact
    from (select t.name as name, i.name as i, c.name as column
      from ${sqliteTables} t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
      where i.origin = 'u' order by t.name, i.name, c.seqno)
    group by name, i`,
  sql`select sql as fact from sqlite_schema
    where sql is not null and (type in ('index', 'trigger') or sql like 'create virtual%')`,
];

const ours = sql`c.relnamespace = current_schema()::regnamespace and c.relname not like 'kysely~_%' escape '~'`;
/** Partitions are as the table that they are of; which there are depends on the week. */
const postgresTables = sql`(select c.* from pg_class c where ${ours} and c.relkind in ('r', 'p') and not c.relispartition)`;

const postgresFacts: readonly Facts[] = [
  sql`select 'table ' || c.relname || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '') as fact
    from ${postgresTables} c`,
  sql`select 'partition ' || i.inhparent::regclass::text || ' ' || regexp_replace(c.relname, '[0-9]{8}', 'WEEK') || ' '
      || regexp_replace(pg_get_expr(c.relpartbound, c.oid), '[0-9]+', 'TIME', 'g') as fact
    from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r' where ${ours}`,
  sql`select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation not in (0, t.typcollation) then ' collate ' || a.attcollation::regcollation::text else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attidentity <> '' then ' identity ' || a.attidentity::text else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as fact
    from ${postgresTables} c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum`,
  sql`select 'constraint ' || c.relname || case when k.contype = 'p' then '' else '.' || k.conname end || ' '
      || pg_get_constraintdef(k.oid) as fact
    from ${postgresTables} c join pg_constraint k on k.conrelid = c.oid where k.contype <> 'n'`,
  sql`select replace(pg_get_indexdef(i.indexrelid), current_schema() || '.', '') as fact
    from pg_index i join ${postgresTables} c on c.oid = i.indrelid where not i.indisprimary`,
  sql`select replace(pg_get_triggerdef(g.oid), current_schema() || '.', '') as fact
    from pg_trigger g join ${postgresTables} c on c.oid = g.tgrelid where not g.tgisinternal`,
  sql`select replace(pg_get_functiondef(p.oid), current_schema() || '.', '') as fact from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  sql`select 'sequence ' || c.relname || ' of ' || d.refobjid::regclass::text || ' by ' || s.seqincrement::text as fact
    from pg_class c join pg_sequence s on s.seqrelid = c.oid
    join pg_depend d on d.objid = c.oid and d.deptype in ('a', 'i') where ${ours}`,
];

const facts = { sqlite: sqliteFacts, postgres: postgresFacts } as const;

/**
 * Everything that a database says of the tables of the service: columns, keys, references, indexes, triggers, sequences
 * and partitions, a line for each in the order of the alphabet. Columns of a table may come in any order, and nothing goes by
 * the name of a primary key.
 */
export async function describeSchema({ db, kind }: Pick<Storage, 'db' | 'kind'>): Promise<string> {
  const lines: string[] = [];
  for (const query of facts[kind]) {
    for (const { fact } of (await query.execute(db)).rows)
      lines.push(fact.replaceAll('"', '').replace(/\s+/g, ' ').trim());
  }
  return `${[...new Set(lines)].sort().join('\n')}\n`;
}
