/**
 * Every statement that the store sends, as data. Each is bound to one part (`part = $1`), so that
 * an engine that distributes tables by `part` sends it to one node; none has a common table
 * expression with INSERT, a volatile function or a text key. `statements.test.ts` holds them to
 * that.
 *
 * Writes join `head` and name the epoch, so that a deposed writer changes nothing, whatever it
 * still sends. The LSN of a row is that of the head, which its transaction has moved already,
 * minus `back`.
 */

export interface Statement {
  /** Under this name the server keeps it prepared. */
  readonly name: string;
  readonly text: string;
}

type Read =
  | "head"
  | "get"
  | "getMany"
  | "byNumber"
  | "items"
  | "terms"
  | "termsReverse"
  | "log"
  | "logRest"
  | "versions"
  | "versionsRest"
  | "tally"
  | "talliesFirst"
  | "tallies";

type Write =
  | "claim"
  | "moveHead"
  | "lockHead"
  | "removeTerms"
  | "addTerms"
  | "putItems"
  | "removeItems"
  | "putEnds"
  | "putVersions"
  | "moveTallies"
  | "removeTallies"
  | "sweepEnds"
  | "sweepVersions"
  | "drop"
  | "forgetHead"
  | "takeLease";

const ITEM = "number, lsn, tag, body, key";

/**
 * Statements that read. Pages of bodies end by their bytes: one row more comes, without its body.
 */
export const READS: Readonly<Record<Read, Statement>> = {
  head: statement(
    "head",
    `SELECT epoch, lsn, item_count, item_bytes, number_max, swept_lsn, stamp FROM head
      WHERE part = $1 AND NOT is_dropped`,
  ),
  get: statement("get", `SELECT ${ITEM} FROM item WHERE part = $1 AND key = $2`),
  getMany: statement(
    "get_many",
    `SELECT ${ITEM} FROM item WHERE part = $1 AND key = ANY($2::bytea[])`,
  ),
  byNumber: statement(
    "by_number",
    `SELECT ${ITEM} FROM item WHERE part = $1 AND number = ANY($2::int8[])`,
  ),
  items: statement("items", bodyPage(["number", "lsn", "tag", "key"], "item", "number > $2")),
  terms: statement(
    "terms",
    `SELECT term, number FROM term
      WHERE part = $1 AND term >= $2 AND (term > $2 OR number > $3) AND term < $4
      ORDER BY term, number LIMIT $5`,
  ),
  termsReverse: statement(
    "terms_reverse",
    `SELECT term, number FROM term
      WHERE part = $1 AND term <= $4 AND (term < $4 OR number < $3) AND term >= $2
      ORDER BY term DESC, number DESC LIMIT $5`,
  ),
  log: statement(
    "log",
    `SELECT lsn, number, kind, key FROM (
        (SELECT lsn, number, kind, key FROM item WHERE part = $1 AND lsn > $2
          ORDER BY lsn, number LIMIT $3)
        UNION ALL
        (SELECT lsn, number, kind, key FROM ended WHERE part = $1 AND lsn > $2
          ORDER BY lsn, number LIMIT $3)) AS entry
      ORDER BY lsn, number LIMIT $3`,
  ),
  /** The entries of one LSN behind a number: what a page would have cut apart. */
  logRest: statement(
    "log_rest",
    `SELECT lsn, number, kind, key FROM item WHERE part = $1 AND lsn = $2 AND number > $3
      UNION ALL
      SELECT lsn, number, kind, key FROM ended WHERE part = $1 AND lsn = $2 AND number > $3`,
  ),
  versions: statement(
    "versions",
    bodyPage(["lsn", "number", "kind", "key", "tag", "previous_lsn"], "version", "lsn > $2", [
      "lsn",
      "number",
    ]),
  ),
  versionsRest: statement(
    "versions_rest",
    `SELECT lsn, number, kind, key, tag, previous_lsn, body FROM version
      WHERE part = $1 AND lsn = $2 AND number > $3 ORDER BY number`,
  ),
  tally: statement(
    "tally",
    `SELECT item_count, item_bytes FROM tally WHERE part = $1 AND family = $2`,
  ),
  talliesFirst: statement(
    "tallies_first",
    `SELECT family, item_count, item_bytes FROM tally
      WHERE part = $1 AND family >= $2 AND family < $3 AND item_count > 0
      ORDER BY family LIMIT $4`,
  ),
  tallies: statement(
    "tallies",
    `SELECT family, item_count, item_bytes FROM tally
      WHERE part = $1 AND family >= $2 AND family > $3 AND family < $4 AND item_count > 0
      ORDER BY family LIMIT $5`,
  ),
};

/** Statements that write. Those of a commit go out together, between BEGIN and COMMIT. */
export const WRITES: Readonly<Record<Write, Statement>> = {
  claim: statement(
    "claim",
    `INSERT INTO head AS h (part, epoch) VALUES ($1, $2)
      ON CONFLICT (part) DO UPDATE SET epoch = EXCLUDED.epoch
      WHERE h.epoch <= EXCLUDED.epoch AND NOT h.is_dropped
      RETURNING epoch, lsn, item_count, item_bytes, number_max, swept_lsn, stamp`,
  ),
  moveHead: statement(
    "move_head",
    `UPDATE head SET lsn = lsn + $3, item_count = item_count + $4, item_bytes = item_bytes + $5,
        number_max = greatest(number_max, $6), swept_lsn = greatest(swept_lsn, $7), stamp = $8
      WHERE part = $1 AND epoch = $2 AND NOT is_dropped
      RETURNING epoch, lsn, item_count, item_bytes, number_max, swept_lsn, stamp`,
  ),
  /** Waits for whoever is writing to the part, as a bare look at it would not. */
  lockHead: statement(
    "lock_head",
    `SELECT epoch, lsn, item_count, item_bytes, number_max, swept_lsn, stamp FROM head
      WHERE part = $1 AND NOT is_dropped FOR UPDATE`,
  ),
  removeTerms: statement(
    "remove_terms",
    `DELETE FROM term AS t USING head AS h, unnest($3::bytea[], $4::int8[]) AS u (term, number)
      WHERE h.part = $1 AND h.epoch = $2
        AND t.part = $1 AND t.term = u.term AND t.number = u.number`,
  ),
  addTerms: statement(
    "add_terms",
    `INSERT INTO term (part, term, number)
      SELECT h.part, u.term, u.number
        FROM head AS h CROSS JOIN unnest($3::bytea[], $4::int8[]) AS u (term, number)
        WHERE h.part = $1 AND h.epoch = $2
      ON CONFLICT (part, term, number) DO NOTHING`,
  ),
  putItems: statement(
    "put_items",
    `INSERT INTO item (part, key, number, lsn, tag, kind, body)
      SELECT h.part, u.key, u.number, h.lsn - u.back, u.tag, u.kind, u.body
        FROM head AS h CROSS JOIN unnest($3::bytea[], $4::int8[], $5::int8[], $6::int4[],
          $7::int4[], $8::bytea[]) AS u (key, number, back, tag, kind, body)
        WHERE h.part = $1 AND h.epoch = $2
      ON CONFLICT (part, key) DO UPDATE SET number = EXCLUDED.number, lsn = EXCLUDED.lsn,
        tag = EXCLUDED.tag, kind = EXCLUDED.kind, body = EXCLUDED.body`,
  ),
  removeItems: statement(
    "remove_items",
    `DELETE FROM item AS i USING head AS h, unnest($3::bytea[]) AS u (key)
      WHERE h.part = $1 AND h.epoch = $2 AND i.part = $1 AND i.key = u.key`,
  ),
  /** An end that was swept already is over, wherever it comes from. */
  putEnds: statement(
    "put_ends",
    `INSERT INTO ended (part, lsn, number, kind, key)
      SELECT h.part, h.lsn - u.back, u.number, u.kind, u.key
        FROM head AS h CROSS JOIN unnest($3::bytea[], $4::int8[], $5::int8[], $6::int4[])
          AS u (key, number, back, kind)
        WHERE h.part = $1 AND h.epoch = $2 AND h.lsn - u.back > h.swept_lsn
      ON CONFLICT (part, lsn, number) DO NOTHING`,
  ),
  putVersions: statement(
    "put_versions",
    `INSERT INTO version (part, lsn, number, kind, key, tag, previous_lsn, body)
      SELECT h.part, h.lsn - u.back, u.number, u.kind, u.key, u.tag, u.previous_lsn, u.body
        FROM head AS h CROSS JOIN unnest($3::bytea[], $4::int8[], $5::int8[], $6::int4[],
          $7::int4[], $8::int8[], $9::bytea[])
          AS u (key, number, back, tag, kind, previous_lsn, body)
        WHERE h.part = $1 AND h.epoch = $2 AND h.lsn - u.back > h.swept_lsn
      ON CONFLICT (part, lsn, number) DO NOTHING`,
  ),
  moveTallies: statement(
    "move_tallies",
    `INSERT INTO tally AS t (part, family, item_count, item_bytes)
      SELECT h.part, u.family, u.item_count, u.item_bytes
        FROM head AS h CROSS JOIN unnest($3::bytea[], $4::int8[], $5::int8[])
          AS u (family, item_count, item_bytes)
        WHERE h.part = $1 AND h.epoch = $2
      ON CONFLICT (part, family) DO UPDATE SET item_count = t.item_count + EXCLUDED.item_count,
        item_bytes = t.item_bytes + EXCLUDED.item_bytes`,
  ),
  removeTallies: statement(
    "remove_tallies",
    `DELETE FROM tally AS t USING unnest($2::bytea[]) AS u (family)
      WHERE t.part = $1 AND t.family = u.family AND t.item_count = 0`,
  ),
  sweepEnds: statement(
    "sweep_ends",
    `DELETE FROM ended AS e USING head AS h
      WHERE h.part = $1 AND h.epoch = $2 AND e.part = $1 AND e.lsn <= h.swept_lsn`,
  ),
  sweepVersions: statement(
    "sweep_versions",
    `DELETE FROM version AS v USING head AS h
      WHERE h.part = $1 AND h.epoch = $2 AND v.part = $1 AND v.lsn <= h.swept_lsn`,
  ),
  /** The part is gone from here on; its rows are taken away afterwards. */
  drop: statement("drop", `UPDATE head SET is_dropped = true WHERE part = $1`),
  forgetHead: statement("forget_head", `DELETE FROM head WHERE part = $1 AND is_dropped`),
  takeLease: statement(
    "take_lease",
    `INSERT INTO lease AS l (part, name, owner, token, until_ms) VALUES ($1, $2, $3, 1, $5)
      ON CONFLICT (part, name) DO UPDATE SET owner = EXCLUDED.owner, until_ms = EXCLUDED.until_ms,
        token = l.token + CASE WHEN l.owner = EXCLUDED.owner THEN 0 ELSE 1 END
      WHERE l.owner = EXCLUDED.owner OR l.until_ms <= $4
      RETURNING token`,
  ),
};

/** The right of a server to work on the database; times are those of the database. */
export const TENURES: Readonly<Record<"hold" | "holder" | "give", Statement>> = {
  hold: statement(
    "hold",
    `INSERT INTO lease AS l (part, name, owner, token, until_ms)
      VALUES ($1, $2, $3, 1, floor(extract(epoch FROM now()) * 1000)::bigint + $4)
      ON CONFLICT (part, name) DO UPDATE SET owner = EXCLUDED.owner, until_ms = EXCLUDED.until_ms,
        token = l.token + CASE WHEN l.owner = EXCLUDED.owner THEN 0 ELSE 1 END
      WHERE l.owner = EXCLUDED.owner OR l.until_ms <= EXCLUDED.until_ms - $4
      RETURNING token`,
  ),
  holder: statement(
    "holder",
    `SELECT owner, until_ms - floor(extract(epoch FROM now()) * 1000)::bigint
      FROM lease WHERE part = $1 AND name = $2`,
  ),
  give: statement(
    "give",
    `UPDATE lease SET until_ms = 0 WHERE part = $1 AND name = $2 AND owner = $3`,
  ),
};

/** Takes the rows of a dropped part away, a few thousand in each transaction. */
export const REMOVALS: readonly Statement[] = [
  removal("item", ["key"]),
  removal("term", ["term", "number"]),
  removal("ended", ["lsn", "number"]),
  removal("version", ["lsn", "number"]),
  removal("tally", ["family"]),
];

/** The only statement about all parts: asked at the start, and by whoever looks at everything. */
export const ALL_PARTS: Statement = statement(
  "all_parts",
  `SELECT part, is_dropped FROM head ORDER BY part`,
);

function statement(name: string, text: string): Statement {
  return { name: `orrery_${name}`, text: text.replace(/\s+/g, " ").trim() };
}

/**
 * A page of rows with bodies: at most $3 rows, and none behind the one that reaches $4 bytes; but
 * the first row behind the page comes along without its body, which says that the page is not the
 * last.
 */
function bodyPage(
  columns: readonly string[],
  table: string,
  condition: string,
  order: readonly string[] = [columns[0]!],
): string {
  const listed = columns.join(", ");
  const window = `OVER (ORDER BY ${order.join(", ")} ROWS UNBOUNDED PRECEDING)`;
  return `SELECT ${listed}, CASE WHEN bytes - own < $4 THEN body END AS body FROM (
      SELECT ${listed}, body, own, bytes,
          lag(own, 1, 0::bigint) OVER (ORDER BY ${order.join(", ")}) AS previous
        FROM (SELECT ${listed}, body, octet_length(body)::bigint AS own,
            sum(octet_length(body)::bigint) ${window} AS bytes
          FROM ${table} WHERE part = $1 AND ${condition}
          ORDER BY ${order.join(", ")} LIMIT $3) AS measured) AS page
    WHERE bytes - own - previous < $4 ORDER BY ${order.join(", ")}`;
}

function removal(table: string, key: readonly string[]): Statement {
  const columns = key.join(", ");
  return statement(
    `remove_${table}`,
    `DELETE FROM ${table} WHERE part = $1 AND (${columns}) IN
      (SELECT ${columns} FROM ${table} WHERE part = $1 ORDER BY ${columns} LIMIT $2)`,
  );
}
