/**
 * docs/use/compatibility.md says what is true: every probe is put to one server, and the text that
 * follows from the answers must be the one of the file.
 *
 * `ORRERY_COMPATIBILITY=write` writes the file instead (`npm run campaign compatibility`).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Wire } from "../http/wire.ts";
import { openWire, PARTITION_KEY } from "../http/wire.ts";
import { RESPONSE_HEADERS } from "./answerProbes.ts";
import { CHILD_AREAS } from "./childProbes.ts";
import { CONTAINER_AREAS } from "./containerProbes.ts";
import type { Examined } from "./document.ts";
import { documentOf } from "./document.ts";
import { OPERATION_AREAS } from "./operationProbes.ts";
import type { Area } from "./probe.ts";
import { STANDING } from "./probe.ts";
import { QUERY_AREAS } from "./queryProbes.ts";
import { REQUEST_HEADERS } from "./requestHeaderProbes.ts";
import { RESOURCE_AREAS } from "./resourceProbes.ts";
import type { State } from "./runProbe.ts";
import { stateOf } from "./runProbe.ts";

const AREAS: readonly Area[] = [
  ...RESOURCE_AREAS,
  ...CHILD_AREAS,
  ...OPERATION_AREAS,
  ...CONTAINER_AREAS,
  ...QUERY_AREAS,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
];
const DOCUMENT = fileURLToPath(new URL("../../docs/use/compatibility.md", import.meta.url));
const READ_ONLY_KEY = Buffer.from("a key that may only read things").toString("base64");

let wire: Wire;
const examined: Examined[] = [];
beforeAll(async () => {
  wire = await openWire({ memory: true, rateLimit: true, readOnlyKey: READ_ONLY_KEY });
  // Their rates are ample: what is asked there is not about rates.
  const headers = { "x-ms-offer-throughput": "10000" };
  for (const [id, items] of Object.entries(STANDING)) {
    const body = JSON.stringify({ id, partitionKey: { paths: ["/pk"] } });
    await wire.call("POST", ["dbs", "d", "colls"], { headers, body });
    for (const item of items) {
      const call = { headers: PARTITION_KEY, body: JSON.stringify(item) };
      await wire.call("POST", ["dbs", "d", "colls", id, "docs"], call);
    }
  }
});
afterAll(() => wire[Symbol.asyncDispose]());

describe("every probe is answered as the service does, or refused", () => {
  test.each(AREAS)("$title", async (area) => {
    const states: State[] = [];
    const complaints: string[] = [];
    for (const probe of area.probes) {
      try {
        states.push(await stateOf({ wire, readOnlyKey: READ_ONLY_KEY }, probe));
      } catch (error) {
        complaints.push(`${probe.feature}: ${error instanceof Error ? error.message : error}`);
      }
    }
    expect(complaints).toEqual([]);
    examined.push({ area, states });
  });
});

test("docs/use/compatibility.md says so; if not: npm run campaign compatibility", () => {
  expect(examined).toHaveLength(AREAS.length);
  const text = documentOf(examined);
  if (process.env["ORRERY_COMPATIBILITY"] === "write") writeFileSync(DOCUMENT, text);
  expect(readFileSync(DOCUMENT, "utf8")).toBe(text);
});
