/**
 * Everything that hands out continuations, as conversations: ask, take the token, ask again with a
 * token. Each is about data that does not change any more, so a token has one right page.
 */
import type { Answer, Wire } from "../http/wire.ts";
import { expectStatus, ITEMS } from "../http/wire.ts";
import { merge, rangeIds, split } from "../sdk/inside.ts";

/** What a request with a token came to. */
export interface Told {
  readonly status: number;
  /** All that the client sees of the rows. */
  readonly page: string;
  readonly token: string | undefined;
}

export interface Conversation {
  readonly name: string;
  /** Begins when there is no token. */
  ask(token?: string): Promise<Told>;
  /** In a header a token cannot hold everything, and spaces around it are lost. */
  readonly isInHeader: boolean;
  /** How much longer than others it takes. */
  readonly weight: number;
}

const ITEM_COUNT = 48;
const KEY = { "x-ms-documentdb-partitionkey": '["pk-1"]' };
const OTHER_KEY = { "x-ms-documentdb-partitionkey": '["pk-2"]' };
const RANGE_ID = "x-ms-documentdb-partitionkeyrangeid";
const DATABASE = ["dbs", "d"];
const CONTAINER = [...DATABASE, "colls", "c"];

/** A server that holds something of everything. */
export async function fill(wire: Wire): Promise<void> {
  const place = { id: "c", database: { id: "d" } };
  await create(wire, DATABASE, "colls", "twin", { partitionKey: { paths: ["/pk"] } });
  for (let n = 0; n < ITEM_COUNT; n++) {
    await createItem(wire, ITEMS, n);
    if (n < 12) await createItem(wire, [...DATABASE, "colls", "twin", "docs"], n);
  }
  // Children whose logs have different lengths: a position in both is no single number.
  await split(wire.server, place);
  for (let n = 0; n < 5; n++) await createItem(wire, ITEMS, ITEM_COUNT + n, "pk-1");
  for (const id of ["one", "two", "three"]) {
    await create(wire, [], "dbs", id, {});
    await create(wire, DATABASE, "colls", id, { partitionKey: { paths: ["/pk"] } });
    await create(wire, DATABASE, "users", id, {});
    const permission = { permissionMode: "Read", resource: `dbs/d/colls/${id}` };
    await create(wire, [...DATABASE, "users", "one"], "permissions", id, permission);
    await create(wire, CONTAINER, "sprocs", id, { body: "function () {}" });
    await create(wire, CONTAINER, "udfs", id, { body: "function () {}" });
    const trigger = { triggerType: "Pre", triggerOperation: "All", body: "function () {}" };
    await create(wire, CONTAINER, "triggers", id, trigger);
  }
  await create(wire, CONTAINER, "sprocs", "querying", { body: QUERYING });
  await create(wire, CONTAINER, "sprocs", "filtering", { body: FILTERING });
}

const QUERYING = `function (continuation) {
  const options = { pageSize: 2, continuation };
  __.queryDocuments(__.getSelfLink(), "SELECT VALUE c.n FROM c", options, (error, rows, more) => {
    if (error) throw error;
    __.response.setBody({ rows, token: more.continuation });
  });
}`;

const FILTERING = `function (continuation) {
  __.filter((item) => item.n >= 0, { pageSize: 2, continuation }, (error, rows, more) => {
    if (error) throw error;
    __.response.setBody({ rows: rows.map((item) => item.n), token: more.continuation });
  });
}`;

async function createItem(
  wire: Wire,
  items: readonly string[],
  n: number,
  pk = `pk-${n % 6}`,
): Promise<void> {
  const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([pk]) };
  const body = JSON.stringify({ id: `item-${n}`, pk, n, group: n % 5 });
  await expectStatus(201, wire.call("POST", items, { headers, body }));
}

async function create(
  wire: Wire,
  owner: readonly string[],
  type: string,
  id: string,
  members: object,
): Promise<void> {
  const body = JSON.stringify({ id, ...members });
  const headers = type === "colls" ? { "x-ms-offer-throughput": "400" } : {};
  await expectStatus(201, wire.call("POST", [...owner, type], { body, headers }));
}

export async function conversationsWith(wire: Wire): Promise<readonly Conversation[]> {
  const [left, right] = await rangeIds(wire.server, { id: "c", database: { id: "d" } });
  const byLeft = { [RANGE_ID]: left! };
  const byRight = { [RANGE_ID]: right! };
  const twin = [...DATABASE, "colls", "twin", "docs"];
  const rewritten = (filter: string, order: string): string =>
    `SELECT c._rid, [{"item": c.n}] AS orderByItems, c AS payload FROM c WHERE (${filter}) ORDER BY c.n ${order}`;
  const atLeast = (value: number) => [{ name: "@least", value }];
  const queries = [
    query(wire, "SELECT VALUE c.n FROM c"),
    query(wire, "SELECT VALUE c.id FROM c"),
    query(wire, "SELECT VALUE c.n FROM c", { items: twin }),
    query(wire, "SELECT VALUE c.n FROM c WHERE c.n >= @least", { parameters: atLeast(0) }),
    query(wire, "SELECT VALUE c.n FROM c WHERE c.n >= @least", { parameters: atLeast(1) }),
    query(wire, "SELECT VALUE c.n FROM c", { headers: KEY }),
    query(wire, "SELECT VALUE c.n FROM c", { headers: OTHER_KEY }),
    query(wire, "SELECT VALUE c.n FROM c ORDER BY c.n", { headers: KEY }),
    query(wire, "SELECT VALUE c.n FROM c ORDER BY c.n DESC", { headers: KEY }),
    query(wire, "SELECT VALUE c.n FROM c", { headers: byLeft }),
    query(wire, "SELECT VALUE c.n FROM c", { headers: byRight }),
    query(wire, rewritten("true", "ASC"), { headers: byLeft }),
    query(wire, rewritten("c.group = 1 AND true", "ASC"), { headers: byLeft }),
    query(wire, rewritten("true", "DESC"), { headers: byRight }),
    query(wire, "SELECT VALUE c.n FROM c ORDER BY c.n", { headers: MERGED }),
    query(wire, "SELECT DISTINCT VALUE c['group'] FROM c", { headers: MERGED }),
    query(wire, "SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk", { headers: MERGED }),
    query(wire, "SELECT VALUE x FROM (SELECT DISTINCT VALUE c.pk FROM c) AS x", {
      headers: MERGED,
    }),
  ];
  return [
    ...queries,
    list(wire, "a read feed", ITEMS),
    list(wire, "a read feed of a twin", twin),
    list(wire, "a read feed by key", ITEMS, KEY),
    list(wire, "a read feed by another key", ITEMS, OTHER_KEY),
    list(wire, "a read feed by range", ITEMS, byLeft),
    list(wire, "a read feed by the other range", ITEMS, byRight),
    changeFeed(wire, ITEMS),
    list(wire, "databases", ["dbs"]),
    list(wire, "containers", [...DATABASE, "colls"]),
    list(wire, "users", [...DATABASE, "users"]),
    list(wire, "permissions", [...DATABASE, "users", "one", "permissions"]),
    list(wire, "procedures", [...CONTAINER, "sprocs"]),
    list(wire, "functions", [...CONTAINER, "udfs"]),
    list(wire, "triggers", [...CONTAINER, "triggers"]),
    list(wire, "offers", ["offers"]),
    query(wire, "SELECT VALUE r.id FROM r", { items: ["dbs"] }),
    query(wire, "SELECT VALUE r.id FROM r", { items: [...DATABASE, "colls"] }),
    query(wire, "SELECT VALUE r.id FROM r", { items: [...DATABASE, "users"] }),
    query(wire, "SELECT VALUE r.id FROM r ORDER BY r.id DESC", { items: [...DATABASE, "users"] }),
    procedure(wire, "querying"),
    procedure(wire, "filtering"),
  ];
}

const MERGED = { "x-orrery-merge-query": "true" };
const PAGE = { "x-ms-max-item-count": "2" };

interface QueryCall {
  readonly items?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly parameters?: readonly object[];
}

function query(
  wire: Wire,
  text: string,
  { items = ITEMS, headers = {}, parameters = [] }: QueryCall = {},
): Conversation {
  const asked = {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "true",
    "x-ms-documentdb-query-enablecrosspartition": "true",
    ...PAGE,
    ...headers,
  };
  const body = JSON.stringify({ query: text, parameters });
  const name = [text, items.at(-2), ...Object.values(headers), body.length].join(" ");
  return {
    name,
    isInHeader: true,
    weight: 1,
    ask: async (token) =>
      toldOf(await wire.call("POST", items, { body, headers: { ...asked, ...sent(token) } })),
  };
}

function list(
  wire: Wire,
  name: string,
  segments: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Conversation {
  return {
    name,
    isInHeader: true,
    weight: 1,
    ask: async (token) =>
      toldOf(
        await wire.call("GET", segments, { headers: { ...PAGE, ...headers, ...sent(token) } }),
      ),
  };
}

function changeFeed(wire: Wire, items: readonly string[]): Conversation {
  const asked = { "a-im": "Incremental feed", "x-ms-max-item-count": "6" };
  return {
    name: "the change feed of several ranges",
    isInHeader: true,
    weight: 1,
    ask: async (token) => {
      const headers = { ...asked, ...(token !== undefined && { "if-none-match": token }) };
      const answer = await wire.call("GET", items, { headers });
      return { ...toldOf(answer), token: answer.headers["etag"] };
    },
  };
}

function procedure(wire: Wire, id: string): Conversation {
  return {
    name: `the procedure '${id}'`,
    isInHeader: false,
    weight: 5,
    ask: async (token) => {
      const body = JSON.stringify(token === undefined ? [] : [token]);
      const answer = await wire.call("POST", [...CONTAINER, "sprocs", id], { body, headers: KEY });
      const text = answer.body.toString();
      if (answer.status !== 200) return { status: answer.status, page: text, token: undefined };
      const { rows, token: next } = JSON.parse(text) as { rows: unknown; token?: string };
      return { status: 200, page: JSON.stringify(rows), token: next };
    },
  };
}

function sent(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { "x-ms-continuation": token };
}

function toldOf({ status, headers, body }: Answer): Told {
  // Every answer makes a new token for a permission.
  const page = body.toString().replace(/"_token":"[^"]*"/g, "");
  return { status, page, token: headers["x-ms-continuation"] };
}

/** The changes of one logical partition, whose positions are plain LSNs. */
export async function changesAfter(wire: Wire, etag: string): Promise<Told> {
  const headers = { "a-im": "Incremental feed", ...KEY, "if-none-match": etag };
  const answer = await wire.call("GET", ITEMS, { headers });
  return { ...toldOf(answer), token: answer.headers["etag"] };
}

/** Splits and merges, so that every range is another one than before. */
export async function reshape(wire: Wire): Promise<void> {
  const place = { id: "c", database: { id: "d" } };
  const [first, second] = await rangeIds(wire.server, place);
  await merge(wire.server, place, first!, second!);
  await split(wire.server, place);
}
