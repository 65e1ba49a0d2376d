/**
 * Who may do what, cell by cell: every kind of path × every verb and purpose × every credential ×
 * its own resource, another key, another container and another database, by names and by rids, over
 * HTTP and in direct mode.
 *
 * The table below is the specification. It is written by hand, and knows nothing of how the server
 * decides. It is complete: every path that the server can parse is walked, and its kind must have a
 * row; a row is checked to be of its kind, and verbs that a row does not name must be refused to
 * everybody.
 *
 * No request of the table changes anything that another one relies on: writes fail their condition,
 * or put back what is there.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OwnedPlace, ResourcePath } from "../../src/protocol/request/resourcePath.ts";
import { CHILD_TYPES, parseResourcePath } from "../../src/protocol/request/resourcePath.ts";
import type { Asked, Cast, Credential, Where } from "./cast.ts";
import { openCast } from "./cast.ts";

type Kind =
  | Exclude<ResourcePath["kind"], "resource" | "resources">
  | `${OwnedPlace["resource"]}`
  | `${OwnedPlace["resource"]} feed`;

interface Row {
  readonly act: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Who may, on the resource that is its own; besides read-write keys, which may do anything. */
  readonly who: string;
  /** What those get who may. */
  readonly status: number;
  /** True when the partition key of a request makes no difference. */
  readonly isKeyless?: boolean;
}

interface Place {
  /** With `{d}` and `{c}` for database and container. */
  readonly path: string;
  readonly rows: readonly Row[];
}

const JSON_TYPE = { "content-type": "application/json" };
const QUERY = { "content-type": "application/query+json", "x-ms-documentdb-isquery": "true" };
const PLAN = { ...QUERY, "x-ms-cosmos-is-query-plan-request": "true" };
const BATCH = { ...JSON_TYPE, "x-ms-cosmos-is-batch-request": "true" };
const TRANSACTION = { ...BATCH, "x-ms-cosmos-batch-atomic": "true" };
const UPSERT = { ...JSON_TYPE, "x-ms-documentdb-is-upsert": "true" };
const FANNED = { ...QUERY, "x-ms-documentdb-query-enablecrosspartition": "true" };
const UNMET = { "if-match": '"unmet"' };
const SELECT = { query: "SELECT * FROM c" };

/** Who looks at anything that is no secret. */
const LOOKERS = "readOnlyKey bearer bearerReader";
const CONTAINER = "containerRead containerAll";
const KEY = "keyRead keyAll";
const PARTS = `${KEY} itemRead itemAll procedureAll`;

const read = (who: string, isKeyless = true): Row => ({
  act: "read",
  method: "GET",
  who,
  status: 200,
  isKeyless,
});
const query = (who: string): Row => ({
  act: "query",
  method: "POST",
  headers: QUERY,
  body: SELECT,
  who,
  status: 200,
  isKeyless: true,
});
const create = (body: object, who = "", status = 409): Row => ({
  act: "create",
  method: "POST",
  headers: JSON_TYPE,
  body,
  who,
  status,
  isKeyless: true,
});
const replace = (body: object, who = ""): Row => ({
  act: "replace",
  method: "PUT",
  headers: { ...JSON_TYPE, ...UNMET },
  body,
  who,
  status: 412,
  isKeyless: true,
});
const remove = (who = ""): Row => ({
  act: "delete",
  method: "DELETE",
  headers: UNMET,
  who,
  status: 412,
  isKeyless: true,
});

const SCRIPT = { id: "s", body: "function () { return 1; }" };
const TRIGGER = { ...SCRIPT, triggerType: "Pre", triggerOperation: "All" };
const ITEM = { id: "i", pk: "a" };
const PERMISSION = { id: "containerRead", permissionMode: "Read", resource: "dbs/d/colls/c" };
const ENCRYPTION_KEY = {
  id: "k",
  encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
  wrappedDataEncryptionKey: "AAAA",
  keyWrapMetadata: { type: "t", name: "n", value: "v" },
};

const scriptRows = (body: object, own = ""): readonly Row[] => [
  read(`readOnlyKey ${CONTAINER} ${own}`),
  replace(body, `containerAll ${own}`),
  remove(`containerAll ${own}`),
];
const scriptFeedRows = (body: object): readonly Row[] => [
  read(`readOnlyKey ${CONTAINER}`),
  query(`readOnlyKey ${CONTAINER}`),
  create(body, "containerAll"),
];

const TABLE: Readonly<Record<Kind, Place>> = {
  account: { path: "/", rows: [read(`${LOOKERS} ${CONTAINER} ${PARTS}`)] },
  addresses: {
    path: "/addresses/?$resolveFor=dbs",
    rows: [read(`${LOOKERS} ${CONTAINER} ${PARTS}`)],
  },
  rangeAddresses: {
    path: "/addresses/?$resolveFor=dbs/{d}/colls/{c}/docs",
    rows: [read(`${LOOKERS} ${CONTAINER} ${PARTS}`)],
  },
  databases: { path: "/dbs", rows: [read(LOOKERS), query(LOOKERS), create({ id: "d" })] },
  database: { path: "/dbs/{d}", rows: [read(LOOKERS), remove()] },
  containers: {
    path: "/dbs/{d}/colls",
    rows: [read(LOOKERS), query(LOOKERS), create({ id: "c", partitionKey: { paths: ["/pk"] } })],
  },
  container: {
    path: "/dbs/{d}/colls/{c}",
    rows: [
      read(`${LOOKERS} ${CONTAINER} ${PARTS}`),
      replace({ id: "c", partitionKey: { paths: ["/pk"] } }),
      remove(),
    ],
  },
  ranges: {
    path: "/dbs/{d}/colls/{c}/pkranges",
    rows: [read(`${LOOKERS} ${CONTAINER} ${PARTS}`)],
  },
  items: {
    path: "/dbs/{d}/colls/{c}/docs",
    rows: [
      { ...read(`${LOOKERS} ${CONTAINER} ${KEY}`, false), act: "read the feed" },
      {
        ...read(`${LOOKERS} ${CONTAINER} ${KEY}`, false),
        act: "read changes",
        headers: { "a-im": "Incremental feed" },
      },
      { ...query(`${LOOKERS} ${CONTAINER} ${KEY}`), isKeyless: false },
      {
        ...query(`${LOOKERS} ${CONTAINER}`),
        act: "query a range",
        headers: { ...FANNED, "x-ms-start-epk": "", "x-ms-end-epk": "FF" },
      },
      { ...query(`${LOOKERS} ${CONTAINER} ${KEY}`), act: "plan", headers: PLAN },
      { ...create(ITEM, "bearer containerAll keyAll"), isKeyless: false },
      {
        ...create(ITEM, "bearer containerAll keyAll"),
        act: "upsert",
        headers: { ...UPSERT, ...UNMET },
        isKeyless: false,
        status: 412,
      },
      {
        ...create([{ operationType: "Read", id: "i" }], "bearer containerAll keyAll", 200),
        act: "transaction",
        headers: TRANSACTION,
        isKeyless: false,
      },
      {
        ...create(
          [{ operationType: "Read", id: "i", partitionKey: '["b"]' }],
          "bearer containerAll",
          200,
        ),
        act: "bulk",
        headers: BATCH,
      },
    ],
  },
  item: {
    path: "/dbs/{d}/colls/{c}/docs/i",
    rows: [
      read(`${LOOKERS} ${CONTAINER} ${KEY} itemRead itemAll`, false),
      { ...replace(ITEM, "bearer containerAll keyAll itemAll"), isKeyless: false },
      {
        ...replace([{ op: "set", path: "/n", value: 1 }], "bearer containerAll keyAll itemAll"),
        act: "patch",
        method: "PATCH",
        isKeyless: false,
      },
      { ...remove("bearer containerAll keyAll itemAll"), isKeyless: false },
    ],
  },
  partitionKeyDelete: {
    path: "/dbs/{d}/colls/{c}/operations/partitionkeydelete",
    rows: [
      {
        act: "delete a key",
        method: "POST",
        // A key that nobody uses, under which whoever has a key may do nothing.
        headers: { "x-ms-documentdb-partitionkey": '["unused"]' },
        who: "bearer containerAll",
        status: 200,
        isKeyless: true,
      },
      {
        act: "delete a key, called a query",
        method: "POST",
        headers: { ...QUERY, "x-ms-documentdb-partitionkey": '["unused"]' },
        who: "bearer containerAll",
        status: 200,
        isKeyless: true,
      },
    ],
  },
  conflicts: {
    path: "/dbs/{d}/colls/{c}/conflicts",
    rows: [read(`readOnlyKey bearer ${CONTAINER}`), query(`readOnlyKey bearer ${CONTAINER}`)],
  },
  conflict: {
    path: "/dbs/{d}/colls/{c}/conflicts/AAAA",
    rows: [
      { ...read(`readOnlyKey bearer ${CONTAINER}`), status: 404 },
      { ...remove("bearer containerAll"), status: 404 },
    ],
  },
  offers: { path: "/offers", rows: [read("readOnlyKey"), query("readOnlyKey")] },
  offer: { path: "/offers/AAAA", rows: [{ ...read("readOnlyKey"), status: 404 }] },
  "user feed": {
    path: "/dbs/{d}/users",
    rows: [read("readOnlyKey"), query("readOnlyKey"), create({ id: "u" })],
  },
  user: {
    path: "/dbs/{d}/users/u",
    rows: [read("readOnlyKey"), replace({ id: "u" }), remove()],
  },
  "permission feed": {
    path: "/dbs/{d}/users/u/permissions",
    rows: [read(""), query(""), create(PERMISSION)],
  },
  permission: {
    path: "/dbs/{d}/users/u/permissions/containerRead",
    rows: [read(""), replace(PERMISSION), remove()],
  },
  "clientEncryptionKey feed": {
    path: "/dbs/{d}/clientencryptionkeys",
    rows: [read(LOOKERS), query(LOOKERS), create(ENCRYPTION_KEY)],
  },
  clientEncryptionKey: {
    path: "/dbs/{d}/clientencryptionkeys/k",
    rows: [read(LOOKERS), replace(ENCRYPTION_KEY)],
  },
  "storedProcedure feed": {
    path: "/dbs/{d}/colls/{c}/sprocs",
    rows: scriptFeedRows(SCRIPT),
  },
  storedProcedure: {
    path: "/dbs/{d}/colls/{c}/sprocs/s",
    rows: [
      ...scriptRows(SCRIPT, "procedureAll"),
      { ...create([], "bearer containerAll keyAll", 200), act: "execute", isKeyless: false },
      {
        ...create([], "bearer containerAll keyAll", 200),
        act: "execute, called a query",
        headers: QUERY,
        isKeyless: false,
      },
    ],
  },
  "trigger feed": { path: "/dbs/{d}/colls/{c}/triggers", rows: scriptFeedRows(TRIGGER) },
  trigger: { path: "/dbs/{d}/colls/{c}/triggers/s", rows: scriptRows(TRIGGER) },
  "userDefinedFunction feed": { path: "/dbs/{d}/colls/{c}/udfs", rows: scriptFeedRows(SCRIPT) },
  userDefinedFunction: { path: "/dbs/{d}/colls/{c}/udfs/s", rows: scriptRows(SCRIPT) },
  other: {
    path: "/dbs/{d}/colls/{c}/docs/i/attachments",
    rows: [{ ...read("readOnlyKey"), status: 400 }],
  },
};

/** Genuine ones whose rights the table is about. */
const LIMITED = [
  "readOnlyKey",
  "bearer",
  "bearerReader",
  "containerRead",
  "containerAll",
  "keyRead",
  "keyAll",
  "itemRead",
  "itemAll",
  "procedureAll",
] as const satisfies readonly Credential[];
/** Those that are about one container, or less. */
const TOKENS: readonly Credential[] = LIMITED.slice(3);
/** Those that are about one partition key of it. */
const KEYED: readonly Credential[] = ["keyRead", "keyAll", "itemRead", "itemAll"];
const UNLIMITED: readonly Credential[] = ["key", "secondaryKey"];
/** What is no credential, or none any more. */
const REFUSED: Readonly<Partial<Record<Credential, number>>> = {
  none: 401,
  garbled: 401,
  strangeKey: 401,
  expiredToken: 403,
  strangeToken: 401,
  expiredBearer: 401,
  strangeBearer: 401,
};

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

let cast: Cast;
beforeAll(async () => {
  cast = await openCast();
});
afterAll(() => cast.close());

const KINDS = Object.entries(TABLE) as [Kind, Place][];

test("every path that can be parsed has a row", () => {
  const ofContainer = "/addresses?$resolveFor=dbs/d/colls/c/docs";
  const besides = ["/addresses", ofContainer, "/dbs/d/colls/c/operations/partitionkeydelete"];
  const kinds = new Set(besides.map(kindOf));
  let paths = [""];
  // Nothing is nested deeper, but a chain that ends in itself would never end.
  for (let depth = 0; depth < 6; depth++) {
    paths = paths.flatMap((path) => {
      kinds.add(kindOf(path === "" ? "/" : path));
      const types = CHILD_TYPES.get(path.split("/").at(-2) ?? "") ?? [];
      for (const type of types) kinds.add(kindOf(`${path}/${type}`));
      return types.map((type) => `${path}/${type}/x`);
    });
  }
  expect([...kinds].sort()).toEqual(Object.keys(TABLE).sort());
});

function kindOf(path: string): string {
  const parsed = parseResourcePath(path)!;
  const named = "resource" in parsed ? parsed.resource : parsed.kind;
  return parsed.kind === "resources" ? `${named} feed` : named;
}

describe.each(KINDS)("%s", (kind, { path, rows }) => {
  test("is the kind of its path", () => {
    expect(kindOf(cast.pathOf(path, "own"))).toBe(kind);
  });

  test.each(rows)("$act", async (row) => {
    const owners = row.who.split(" ");
    const isOwner = (one: Credential): boolean => owners.includes(one);
    const isOwnerElsewhere = (one: Credential): boolean => isOwner(one) && !TOKENS.includes(one);
    const isOwnerUnderOtherKey = (one: Credential): boolean =>
      isOwner(one) && (row.isKeyless === true || !KEYED.includes(one));

    const cells: Promise<readonly [expected: string, found: string]>[] = [];
    const look = (credential: Credential, status: number | boolean, where: Where = {}): void => {
      const expected = status === true ? row.status : status === false ? 403 : status;
      cells.push(cellOf({ ...row, path }, credential, expected, where));
    };
    for (const credential of UNLIMITED) look(credential, true);
    for (const [name, status] of Object.entries(REFUSED)) look(name as Credential, status);
    for (const credential of LIMITED) {
      look(credential, isOwner(credential));
      if (path.includes("{c}")) {
        look(credential, isOwnerElsewhere(credential), { place: "otherContainer" });
      }
      if (path.includes("{d}")) {
        look(credential, isOwnerElsewhere(credential), { place: "otherDatabase" });
      }
      if (!TOKENS.includes(credential)) continue;
      look(credential, isOwner(credential), { isByRid: true });
      look(credential, isOwnerUnderOtherKey(credential), { key: "other" });
      look(credential, isOwnerUnderOtherKey(credential), { key: "none" });
      if (path.includes("{c}")) {
        look(credential, isOwnerElsewhere(credential), { place: "absentContainer" });
      }
    }
    const looked = await Promise.all(cells);
    expect(looked.map(([, found]) => found)).toEqual(looked.map(([expected]) => expected));
  });

  test("no other verb is allowed to anybody", async () => {
    const others = METHODS.filter((method) => rows.every((row) => row.method !== method));
    const cells = others.flatMap((method) =>
      [...UNLIMITED, ...LIMITED].map(async (credential) => {
        const status = await cast.ask({ method, path, body: {} }, credential);
        return status < 400 ? [`${method} ${credential}`] : [];
      }),
    );
    expect((await Promise.all(cells)).flat()).toEqual([]);
  });
});

/** What should come of a request and what did, in words that can be compared. */
async function cellOf(
  asked: Asked,
  credential: Credential,
  status: number,
  where: Where,
): Promise<readonly [expected: string, found: string]> {
  const cell = `${credential} ${JSON.stringify(where)}`;
  const found = await cast.ask(asked, credential, where);
  const direct = (await cast.askDirect(asked, credential, where)) ?? found;
  // Elsewhere, and under other keys, there may be nothing: only refusals are told apart.
  const isVague = (where.place ?? where.key) !== undefined && status !== 403;
  const shown = (one: number): number | string =>
    isVague && one !== 401 && one !== 403 ? "allowed" : one;
  const expected = isVague ? "allowed" : status;
  const roads = [found, direct].map(shown);
  return [`${cell}: ${expected} ${expected}`, `${cell}: ${roads.join(" ")}`];
}
