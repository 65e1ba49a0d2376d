/**
 * Session tokens and consistency levels as they are on the wire: which are understood, which name a
 * state that is not there, and what an account of each level lets a request ask for.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "../http/wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "../http/wire.ts";

let wire: Wire;
/** Of range 0, which is the only one. */
let lsn: number;
beforeAll(async () => {
  wire = await openWire();
  for (const id of ["1", "2", "3"]) {
    const body = JSON.stringify({ id, pk: "a" });
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  }
  lsn = Number((await wire.item("GET", "kept")).headers["lsn"]);
});
afterAll(() => wire[Symbol.asyncDispose]());

const outcomeOf = ({ status, headers }: Answer): string =>
  [status, headers["x-ms-substatus"] ?? []].flat().join("/");

describe("a read with a session token", () => {
  const reading = async (token: string): Promise<string> =>
    outcomeOf(await wire.item("GET", "kept", { headers: { "x-ms-session-token": token } }));

  test("says what state it shows", async () => {
    const { headers } = await wire.item("GET", "kept");
    expect(headers["x-ms-session-token"]).toBe(`0:0#${lsn}`);
  });

  /** `<n>` is the latest LSN, `<m>` the one after it. */
  const TOKENS: readonly (readonly [rule: string, token: string, outcome: string])[] = [
    ["of the latest state", "0:0#<n>", "200"],
    ["of an earlier state", "0:0#1", "200"],
    ["of no state yet", "0:0#0", "200"],
    ["of the future", "0:0#<m>", "404/1002"],
    ["of the far future", "0:0#9007199254740991", "404/1002"],
    ["of a later version", "0:1#0", "404/1002"],
    ["of an earlier version, which knew other LSNs", "0:-1#<m>", "200"],
    ["in the oldest form", "0:<n>", "200"],
    ["of the future in the oldest form", "0:<m>", "404/1002"],
    ["with regions", "0:0#<n>#1=5#2=7", "200"],
    ["of the future with regions", "0:0#<m>#1=5", "404/1002"],
    ["of another range", "1:0#<m>", "200"],
    ["of several ranges", "7:0#<m>,0:0#<n>,8:1#5", "200"],
    ["of several ranges and the future", "7:0#1,0:0#<m>", "404/1002"],
    ["with blanks between ranges", "7:0#1, 0:0#<m>", "404/1002"],
    ["that names its range twice", "0:0#<m>,0:0#1", "404/1002"],
    ["that is empty", "", "200"],
    ["without a range", "0#1", "400"],
    ["without a state", "0:", "400"],
    ["without an LSN", "0:0#", "400"],
    ["with a negative LSN", "0:0#-1", "400"],
    ["with a broken LSN", "0:0#1.5", "400"],
    ["with an LSN that is no number", "0:0#x", "400"],
    ["with a version below the least", "0:-2#1", "400"],
    ["with an LSN beyond all", "0:0#99999999999999999999", "400"],
    ["with a region that is none", "0:0#1#x=2", "400"],
    ["with a region of no LSN", "0:0#1#1", "400"],
    ["with a comma at the end", "0:0#1,", "200"],
    ["with a part missing", "0:0#1,,", "400"],
    ["that is a word", "token", "400"],
  ];

  test.each(TOKENS)("%s", async (_rule, token, outcome) => {
    const written = token.replaceAll("<n>", `${lsn}`).replaceAll("<m>", `${lsn + 1}`);
    expect(await reading(written)).toBe(outcome);
  });

  test("that comes too early is told where to find the item later", async () => {
    const early = { "x-ms-session-token": `0:0#${lsn + 1}` };
    const { body } = await expectStatus(404, wire.item("GET", "kept", { headers: early }));
    expect(body.toString()).toContain("read session is not available");
    // The same request is served once somebody has written.
    const item = JSON.stringify({ id: "next", pk: "a" });
    await expectStatus(201, wire.call("POST", ITEMS, { body: item, headers: PARTITION_KEY }));
    await expectStatus(200, wire.item("GET", "kept", { headers: early }));
    lsn++;
  });

  test("does not care about what the token says of an item that is not there", async () => {
    const missing = wire.item("GET", "missing", {
      headers: { "x-ms-session-token": `0:0#${lsn}` },
    });
    expect(outcomeOf(await missing)).toBe("404");
  });
});

describe("a page of several ranges", () => {
  const docs = ["dbs", "d", "colls", "wide", "docs"];
  const KEYS = Array.from({ length: 30 }, (_, n) => `${n}`);
  const withKey = (key: string) => ({ "x-ms-documentdb-partitionkey": JSON.stringify([key]) });

  test("has a token of the last; of a token of all, each is held to its own part", async () => {
    const definition = { id: "wide", partitionKey: { paths: ["/pk"] } };
    const headers = { "x-ms-offer-throughput": "30000" };
    const making = { body: JSON.stringify(definition), headers };
    await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], making));
    for (const pk of KEYS) {
      const body = JSON.stringify({ id: "item", pk });
      await expectStatus(201, wire.call("POST", docs, { body, headers: withKey(pk) }));
    }
    const asking = {
      "content-type": "application/query+json",
      "x-ms-documentdb-query-enablecrosspartition": "true",
    };
    const body = JSON.stringify({ query: "SELECT * FROM c" });
    const asked = await expectStatus(200, wire.call("POST", docs, { body, headers: asking }));
    const listed = await expectStatus(200, wire.call("GET", docs));
    const token = asked.headers["x-ms-session-token"]!;
    expect(listed.headers["x-ms-session-token"]).toBe(token);
    expect(token).toMatch(/^2:0#\d+$/);
    // The range in the middle is asked for a state that it does not have.
    const early = `0:0#1,1:0#1000,${token}`;
    const reading = (pk: string, text: string): Promise<Answer> => {
      const sent = { ...withKey(pk), "x-ms-session-token": text };
      return wire.call("GET", [...docs, "item"], { headers: sent });
    };
    for (const pk of KEYS) {
      const { headers: told } = await expectStatus(200, reading(pk, token));
      const isMiddle = told["x-ms-documentdb-partitionkeyrangeid"] === "1";
      expect(outcomeOf(await reading(pk, early))).toBe(isMiddle ? "404/1002" : "200");
    }
  });
});

const NAMES = ["Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"] as const;

/** From the strongest; those from Session on may stand for each other. */
const MAY_ASK: Readonly<Record<(typeof NAMES)[number], readonly string[]>> = {
  Strong: NAMES,
  BoundedStaleness: NAMES.slice(1),
  Session: NAMES.slice(2),
  ConsistentPrefix: NAMES.slice(2),
  Eventual: NAMES.slice(2),
};

describe.each(NAMES)("an account of consistency %s", (consistency) => {
  let account: Wire;
  beforeAll(async () => {
    account = await openWire({ memory: true, consistency });
  });
  afterAll(() => account[Symbol.asyncDispose]());

  const leveled = (level: string): Record<string, string> => ({ "x-ms-consistency-level": level });

  test("says so", async () => {
    const { body } = await account.call("GET", []);
    const document = JSON.parse(body.toString()) as Record<string, unknown>;
    expect(document["userConsistencyPolicy"]).toMatchObject({
      defaultConsistencyLevel: consistency,
    });
  });

  test("lets reads, queries, lists and writes ask for what it can give", async () => {
    const query = JSON.stringify({ query: "SELECT * FROM c" });
    const asking = { "content-type": "application/query+json", "x-ms-documentdb-isquery": "true" };
    for (const level of [...NAMES, "Linearizable"]) {
      const isGiven = MAY_ASK[consistency].includes(level);
      const status = isGiven ? 200 : 400;
      await expectStatus(status, account.item("GET", "kept", { headers: leveled(level) }));
      const headers = { ...asking, ...PARTITION_KEY, ...leveled(level) };
      await expectStatus(status, account.call("POST", ITEMS, { body: query, headers }));
      const listing = { headers: { ...PARTITION_KEY, ...leveled(level) } };
      await expectStatus(status, account.call("GET", ITEMS, listing));
      const body = '{"id":"kept","pk":"a"}';
      await expectStatus(status, account.item("PUT", "kept", { body, headers: leveled(level) }));
    }
  });

  test("charges reads that wait for others double", async () => {
    const chargeOf = async (level: string): Promise<number> => {
      const { headers } = await account.item("GET", "kept", { headers: leveled(level) });
      return Number(headers["x-ms-request-charge"]);
    };
    const single = await chargeOf("Session");
    const levels = MAY_ASK[consistency];
    const charges = await Promise.all(levels.map(chargeOf));
    expect(charges).toEqual(levels.map((level) => (/Str|Bou/.test(level) ? 2 : 1) * single));
  });
});
