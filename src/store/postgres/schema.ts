/**
 * The tables, made when a store is opened for the first time, and their version. Every table begins
 * with `part` in its primary key, by which an engine of several nodes distributes them.
 *
 * Keys are bytes and never text: their order must not depend on a collation.
 */

/** Rises with every change of the tables; a step of `MIGRATIONS` leads to each version. */
export const SCHEMA_VERSION = 2;

/** All but the one with the version; the first is the one that the others lie beside. */
export const TABLES: readonly string[] = [
  "head",
  "item",
  "term",
  "ended",
  "version",
  "tally",
  "lease",
  "node",
  "agreed",
];

const FIRST: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS head (
    part bigint PRIMARY KEY,
    epoch bigint NOT NULL,
    lsn bigint NOT NULL DEFAULT 0,
    item_count bigint NOT NULL DEFAULT 0,
    item_bytes bigint NOT NULL DEFAULT 0,
    number_max bigint NOT NULL DEFAULT 0,
    swept_lsn bigint NOT NULL DEFAULT 0,
    stamp bytea,
    is_dropped boolean NOT NULL DEFAULT false)`,
  `CREATE TABLE IF NOT EXISTS item (
    part bigint NOT NULL,
    key bytea NOT NULL,
    number bigint NOT NULL,
    lsn bigint NOT NULL,
    tag integer NOT NULL,
    kind integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (part, key))`,
  `CREATE UNIQUE INDEX IF NOT EXISTS item_number ON item (part, number)`,
  `CREATE INDEX IF NOT EXISTS item_lsn ON item (part, lsn, number)`,
  `CREATE TABLE IF NOT EXISTS term (
    part bigint NOT NULL,
    term bytea NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (part, term, number))`,
  `CREATE TABLE IF NOT EXISTS ended (
    part bigint NOT NULL,
    lsn bigint NOT NULL,
    number bigint NOT NULL,
    kind integer NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (part, lsn, number))`,
  `CREATE TABLE IF NOT EXISTS version (
    part bigint NOT NULL,
    lsn bigint NOT NULL,
    number bigint NOT NULL,
    kind integer NOT NULL,
    key bytea NOT NULL,
    tag integer NOT NULL,
    previous_lsn bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (part, lsn, number))`,
  `CREATE TABLE IF NOT EXISTS tally (
    part bigint NOT NULL,
    family bytea NOT NULL,
    item_count bigint NOT NULL,
    item_bytes bigint NOT NULL,
    PRIMARY KEY (part, family))`,
  `CREATE TABLE IF NOT EXISTS lease (
    part bigint NOT NULL,
    name bytea NOT NULL,
    owner bytea NOT NULL,
    token bigint NOT NULL,
    until_ms bigint NOT NULL,
    PRIMARY KEY (part, name))`,
];

/** The servers that work together, and what all of them have to know. */
const NODES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS node (
    part bigint NOT NULL,
    name bytea NOT NULL,
    card bytea NOT NULL,
    heard_ms bigint NOT NULL,
    PRIMARY KEY (part, name))`,
  `CREATE TABLE IF NOT EXISTS agreed (
    part bigint NOT NULL,
    name bytea NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (part, name))`,
];

/** Version → the statements that lead to it from the one before. */
export const MIGRATIONS: Readonly<Record<number, readonly string[]>> = { 1: FIRST, 2: NODES };
