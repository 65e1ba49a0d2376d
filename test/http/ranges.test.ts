/**
 * The ranges of a container as clients follow them that keep a map of their own: what is new is
 * told once, and a split is never taken for no change.
 */
import { expect, test } from "vitest";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, openWire } from "./wire.ts";

const CONTAINER = ["dbs", "d", "colls", "c"];
const RATE_PENDING = "x-ms-offer-replace-pending";

interface Range {
  readonly id: string;
  readonly parents: readonly string[];
  readonly throughputFraction: number;
  readonly _lsn: number;
}

test("a split gives them another etag", async () => {
  await using wire = await openWire();
  const before = await expectStatus(200, ranges(wire));
  expect(rangesIn(before)).toMatchObject([
    { id: "0", parents: [], throughputFraction: 1, status: "online", _lsn: 1 },
  ]);
  const { etag } = before.headers;
  await expectStatus(304, ranges(wire, etag));

  await raiseRate(wire, 20_000);
  const after = await expectStatus(200, ranges(wire, etag));
  const children = rangesIn(after);
  expect(children.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(children.map(({ parents }) => parents)).toEqual([["0"], ["0"]]);
  expect(children.map(({ throughputFraction }) => throughputFraction)).toEqual([0.5, 0.5]);
  for (const { _lsn } of children) expect(_lsn).toBeGreaterThanOrEqual(1);
  expect(after.headers["etag"]).not.toBe(etag);
  await expectStatus(304, ranges(wire, after.headers["etag"]));
});

test("another container of the same name has another etag", async () => {
  await using wire = await openWire();
  const { headers } = await expectStatus(200, ranges(wire));
  await expectStatus(204, wire.call("DELETE", CONTAINER));
  const body = '{"id":"c","partitionKey":{"paths":["/pk"]}}';
  await expectStatus(201, wire.call("POST", CONTAINER.slice(0, -1), { body }));
  await expectStatus(200, ranges(wire, headers["etag"]));
});

function ranges(wire: Wire, etag?: string): Promise<Answer> {
  const headers = { "a-im": "Incremental Feed", ...(etag && { "if-none-match": etag }) };
  return wire.call("GET", [...CONTAINER, "pkranges"], { headers });
}

function rangesIn(answer: Answer): readonly Range[] {
  const { PartitionKeyRanges } = JSON.parse(String(answer.body)) as Record<string, unknown>;
  return PartitionKeyRanges as readonly Range[];
}

/** And waits until there are physical partitions for it. */
async function raiseRate(wire: Wire, offerThroughput: number): Promise<void> {
  const list = await expectStatus(200, wire.call("GET", ["offers"]));
  const [{ id }] = JSON.parse(String(list.body)).Offers as [{ readonly id: string }];
  const body = JSON.stringify({ content: { offerThroughput } });
  let answer = await expectStatus(200, wire.call("PUT", ["offers", id], { body }));
  expect(answer.headers[RATE_PENDING]).toBe("true");
  while (answer.headers[RATE_PENDING] === "true") {
    await new Promise((resolve) => setTimeout(resolve, 10));
    answer = await expectStatus(200, wire.call("GET", ["offers", id]));
  }
}
