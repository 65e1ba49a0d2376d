/** Chunks that cannot be what they say: refused, and nothing else happens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { millis } from "../base/units.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "../partition/epk.ts";
import { WHOLE_RANGE } from "../partition/epkRange.ts";
import { murmur32 } from "../partition/murmur3.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Chunk, putBackChunks, restoreChunks, takeChunks } from "./chunks.ts";
import { ContainerMeter } from "./containerMeter.ts";

const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const WALL = 1_700_000_000_000;
const NOW = millis(5000);

function newMeter(id = "0"): ContainerMeter {
  const meter = new ContainerMeter(V2, { now: () => millis(0), wallNow: () => WALL });
  meter.open({ id, range: WHOLE_RANGE, allottedRate: 100 }, millis(0));
  return meter;
}

function busyChunks(): readonly Chunk[] {
  const meter = newMeter();
  for (let key = 0; key < 20; key++) {
    meter.meters.get("0")!.note("write", epkOf(V2, [key]), 5.25, millis(100));
  }
  return takeChunks(meter, NOW);
}

function ruOf(meter: ContainerMeter): number {
  const columns = meter.timeline({ from: WALL - 60_000, to: WALL + 60_000 }, 10, NOW);
  return columns.reduce((sum, { counted }) => sum + (counted?.ru ?? 0), 0);
}

describe("chunks", () => {
  test("what they hold comes back", () => {
    const meter = newMeter();
    expect(restoreChunks(meter, busyChunks())).toEqual([]);
    expect(ruOf(meter)).toBe(105);
    const spans = [
      { firstSlot: Math.floor(WALL / 60_000), endSlot: Math.floor(WALL / 60_000) + 1 },
    ];
    const [own] = meter.meters.get("0")!.history.sums(
      0,
      spans.map((span) => ({ ...span, from: 0, to: 0 })),
    );
    expect(own?.[0]).toBe(105);
  });

  test("what could not be stored comes again", () => {
    const meter = newMeter();
    meter.meters.get("0")!.note("write", epkOf(V2, [1]), 5.25, millis(100));
    const taken = takeChunks(meter, NOW);
    expect(taken.length).toBe(6);
    expect(takeChunks(meter, NOW)).toEqual([]);
    putBackChunks(meter, taken);
    expect(takeChunks(meter, NOW)).toEqual(taken);
  });

  test("what is about a physical partition that is no more is left out; totals stay", () => {
    const meter = newMeter("7");
    expect(restoreChunks(meter, busyChunks())).toEqual([]);
    expect(ruOf(meter)).toBe(105);
  });

  test("what was counted before they came back is added to", () => {
    const meter = newMeter();
    meter.meters.get("0")!.note("write", undefined, 1, millis(100));
    meter.settle(NOW);
    restoreChunks(meter, busyChunks());
    expect(ruOf(meter)).toBe(106);
  });

  test.each<[string, (chunk: Chunk) => Chunk, string]>([
    ["no bytes", ({ name }) => ({ name, bytes: new Uint8Array(0) }), "are damaged"],
    ["other bytes", ({ name }) => ({ name, bytes: Buffer.from("{}".repeat(9)) }), "are damaged"],
    ["a cut", ({ name, bytes }) => ({ name, bytes: bytes.slice(0, -1) }), "are damaged"],
    [
      "a changed byte",
      ({ name, bytes }) => ({ name, bytes: withByte(bytes, 9, 1) }),
      "are damaged",
    ],
    [
      "a later version",
      ({ name, bytes }) => ({ name, bytes: withByte(bytes, 2, 3) }),
      "have the version 2, not 1",
    ],
    [
      "another name",
      ({ bytes }) => ({ name: "moon:minute:0", bytes }),
      "are not known by this name",
    ],
    ["another time", ({ bytes }) => ({ name: "load:year:0", bytes }), "are not known by this name"],
  ])("%s: refused", (_, change, problem) => {
    const meter = newMeter();
    const refused = restoreChunks(meter, busyChunks().map(change));
    expect(refused.length).toBe(busyChunks().length);
    for (const reason of refused) expect(reason).toContain(problem);
    expect(ruOf(meter)).toBe(0);
  });

  test("any payload under a right checksum is taken or refused", () => {
    const whole = busyChunks();
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.nat(500),
        fc.integer({ min: 1, max: 255 }),
        (index, at, change) => {
          const { name, bytes } = whole[index]!;
          const payload = withByte(bytes, 7 + (at % (bytes.length - 7)), change).subarray(7);
          const meter = newMeter();
          const refused = restoreChunks(meter, [{ name, bytes: resealed(payload, bytes) }]);
          expect(refused.length).toBeLessThanOrEqual(1);
          meter.meters.get("0")!.note("read", epkOf(V2, ["x"]), 1, NOW);
          takeChunks(meter, millis(9000));
        },
      ),
    );
  });
});

describe("bytes", () => {
  test("numbers, texts and sections come back", () => {
    const anyNumber = fc.oneof(fc.nat(300), fc.maxSafeNat());
    fc.assert(
      fc.property(
        fc.array(anyNumber),
        fc.string(),
        fc.uint8Array({ maxLength: 700 }),
        (numbers, text, bytes) => {
          const writer = new ByteWriter();
          for (const number of numbers) writer.number(number);
          writer.text(text);
          writer.section(bytes);
          const reader = new ByteReader(writer.finish());
          expect(numbers.map(() => reader.number())).toEqual(numbers);
          expect(reader.text()).toBe(Buffer.from(text).toString());
          expect([...reader.section()]).toEqual([...bytes]);
          expect(reader.isDone).toBe(true);
        },
      ),
    );
  });

  test.each<[string, readonly number[]]>([
    ["nothing", []],
    ["a number without its end", [0x80, 0x80]],
    ["a number that is too large", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ["a section that is longer than the rest", [5, 1, 2]],
  ])("%s breaks the reader", (_, bytes) => {
    const reader = new ByteReader(Uint8Array.from(bytes));
    reader.section();
    expect([reader.isBroken, reader.isDone]).toEqual([true, false]);
  });
});

function withByte(bytes: Uint8Array, at: number, change: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at]! ^= change;
  return changed;
}

/** The payload under the header of `chunk`, with a checksum that is right. */
function resealed(payload: Uint8Array, chunk: Uint8Array): Uint8Array {
  const header = Buffer.from(chunk.slice(0, 7));
  header.writeUInt32LE(murmur32(payload, payload.length), 3);
  return Buffer.concat([header, payload]);
}
