import * as t from './table.ts';

/** Columns of a record whose bytes are in the blob store. */
export const storedBytes = {
  id: t.key,
  mime: t.text,
  size: t.integer,
  /** CRC16-CCITT in the module's variant. */
  crc: t.integer,
  /** Key of the bytes in the blob store. */
  sha256: t.blob,
  created_at: t.time,
};

/** Columns of a stored file that belongs to a firmware or to a bundle. */
export const storedFile = { ...storedBytes, filename: t.text, type: t.text, version: t.text };

export const engineTables = {
  /** Small values of the installation: certificate authority, first-run marks. */
  settings: t.table({ name: t.key, value: t.text }),
  /** Bytes that are durable in the blob store. A row exists before any record points at it. */
  blobs: t.table(
    {
      sha256: t.key,
      size: t.integer,
      /** Which object of an object store holds them, when that is known. */
      object: t.optional(t.text),
      created_at: t.time,
      /** Check sums that update clients of other makers ask for, lower-case hex; made when they are first needed. */
      sha1: t.optional(t.text),
      md5: t.optional(t.text),
      /** The account that has put it within the last minutes, '' for none; then nothing. */
      put_by: t.since(4, t.optional(t.text)),
    },
    [t.index('created_at'), { ...t.index('put_by'), where: ['put_by'], since: 4 }],
  ),
  /** The number of the last message between nodes; one row. */
  bus_position: t.table({ id: t.keyed(t.integer), last: t.integer }),
  /** A message between nodes, kept for minutes. */
  bus_messages: t.table({
    /** Without a gap, in the order of the commits. */
    id: t.keyed(t.integer),
    at: t.time,
    /** The node that published it. */
    sender: t.text,
    topic: t.text,
    /** JSON. */
    message: t.text,
  }),
  /** Work that one node does for all. */
  work: t.table({
    name: t.key,
    /** The process that does it now. */
    holder: t.optional(t.text),
    /** Counts the holders: what an earlier one still does is out of date. */
    fence: t.integer,
    done_at: t.time,
  }),
};
