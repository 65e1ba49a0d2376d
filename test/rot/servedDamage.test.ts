/**
 * What a client, an operator and `orrery check` see of a bit that has changed inside one item: that
 * item is refused and says so, and all others are served.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Container, Database } from "@azure/cosmos";
import { expect, test } from "vitest";
import { orrery } from "../cli/importStage.ts";
import { openStage, refusalOf, temporaryDirectory } from "../sdk/stage.ts";

/** So large that a few of them fill a segment of the journal, which then goes into the tables. */
const TEXT_BYTES = 1_900_000;
const COUNT = 20;
const TIMEOUT = { timeout: 180_000 };

interface Alerts {
  readonly alerts: {
    readonly alerts: readonly { readonly rule: string; readonly state: string }[];
  };
}

const itemOf = (n: number) => ({ id: `${n}`, pk: "p", text: `${n}${"x".repeat(TEXT_BYTES)}` });
/** As it is in the body of the item, and in no term of the index. */
const MARK = `"text":"1xxx`;

test(
  "one bit of one item: it is refused, told and found, and the others are there",
  TIMEOUT,
  async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "tables", "data.mdb");
    await fill(directory.path, file);
    const bytes = readFileSync(file);
    bytes[bytes.indexOf(MARK) + 500_000]! ^= 1;
    writeFileSync(file, bytes);

    const check = await orrery(["check", directory.path]);
    expect(check.code).toBe(1);
    expect(check.output).toContain("tables/data.mdb, page");

    await using stage = await openStage({ data: directory.path });
    const container = stage.database.container("c");
    for (let n = 0; n < COUNT; n++) {
      const reading = container.item(`${n}`, "p").read();
      if (n !== 1) expect((await reading).statusCode).toBe(200);
      else {
        const refusal = await refusalOf(reading);
        expect(refusal.status).toBe(500);
        expect(refusal.message).toContain("damage");
        expect(refusal.message).not.toContain(directory.path);
      }
    }
    const { endpoint, key } = stage.server;
    const answer = await fetch(`${endpoint}/_orrery/v1/alerts`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { alerts } = (await answer.json()) as Alerts;
    const firing = alerts.alerts.filter(({ state }) => state === "firing");
    expect(firing.map(({ rule }) => rule)).toContain("storedDamage");
  },
);

/** Until the first items are in the tables. */
async function fill(directory: string, file: string): Promise<void> {
  await using stage = await openStage({ data: directory });
  const container = await containerIn(stage.database);
  for (let n = 0; n < COUNT; n++) await container.items.create(itemOf(n));
  await expect.poll(() => readFileSync(file).includes(MARK)).toBe(true);
}

async function containerIn(database: Database): Promise<Container> {
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  return (await database.containers.createIfNotExists(body)).container;
}
