/**
 * The simulated disk keeps the promise that crash tests rest on, and no other: what was
 * acknowledged survives; what was not may be there in any way.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/world.ts";
import { SimulatedDisk } from "./simulatedDisk.fake.ts";

describe("a power cut", () => {
  test("leaves what was acknowledged, whatever the seed", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const disk = new SimulatedDisk(seededRandom(seed));
      const file = await disk.create("a", Buffer.from("one "));
      await file.append(Buffer.from("two "));
      void file.append(Buffer.from("three"));
      const after = disk.powerCut();
      expect(await after.names()).toEqual(["a"]);
      expect((await after.read("a")).toString()).toMatch(/^one two /);
    }
  });

  test("leaves of a write under way nothing, all, or some of its sectors", async () => {
    const written = Buffer.alloc(3000, "x");
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const disk = new SimulatedDisk(seededRandom(seed));
      const file = await disk.create("a", Buffer.from("h"));
      void file.append(written);
      const found = (await disk.powerCut().read("a")).subarray(1);
      expect(found.length).toBeLessThanOrEqual(written.length);
      expect(found.every((byte) => byte === 0 || byte === 0x78)).toBe(true);
      const isGappy = found.includes(0);
      outcomes.add(
        isGappy ? "gaps" : found.length === 3000 ? "all" : found.length ? "some" : "none",
      );
    }
    expect([...outcomes].sort()).toEqual(["all", "gaps", "none", "some"]);
  });

  test("may take the name of a file that was being made", async () => {
    const found = new Set<number>();
    for (let seed = 1; seed <= 50; seed++) {
      const disk = new SimulatedDisk(seededRandom(seed));
      void disk.create("a", Buffer.from("header"));
      found.add((await disk.powerCut().names()).length);
    }
    expect(found).toEqual(new Set([0, 1]));
  });

  test("leaves a removal undone until it is acknowledged", async () => {
    const disk = new SimulatedDisk(seededRandom(1));
    await disk.create("a", Buffer.from("x"));
    void disk.remove("a");
    expect(await disk.powerCut().names()).toEqual(["a"]);
  });

  test("silences the old disk, and the new one goes its own way", async () => {
    const disk = new SimulatedDisk(seededRandom(1));
    const file = await disk.create("a", Buffer.from("x"));
    const after = disk.powerCut();
    let isAnswered = false;
    void file.append(Buffer.from("y")).then(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    expect((await after.read("a")).toString()).toBe("x");
  });
});

describe("faults", () => {
  test("the hook sees every change with its number and may fail it", async () => {
    const disk = new SimulatedDisk(seededRandom(1));
    const seen: string[] = [];
    disk.faultHook = (operation, number) => {
      seen.push(`${number} ${operation}`);
      if (number === 2) throw new Error("no space");
    };
    const file = await disk.create("a", Buffer.from("x"));
    await expect(file.append(Buffer.from("y"))).rejects.toThrow("no space");
    await disk.remove("a");
    expect(seen).toEqual(["1 create", "2 append", "3 remove"]);
  });

  test("a failed append is not read back while the machine runs", async () => {
    const disk = new SimulatedDisk(seededRandom(1));
    const file = await disk.create("a", Buffer.from("x"));
    disk.faultHook = () => {
      throw new Error("bad");
    };
    await expect(file.append(Buffer.from("y"))).rejects.toThrow("bad");
    expect((await disk.read("a")).toString()).toBe("x");
  });

  test("rot changes one bit of one file, and says where", async () => {
    const disk = new SimulatedDisk(seededRandom(3));
    expect(disk.flipBit()).toBeUndefined();
    await disk.create("a", Buffer.alloc(100));
    const flip = disk.flipBit()!;
    const bytes = await disk.read(flip.name);
    const bitCount = (bytes[flip.offset]!.toString(2).match(/1/g) ?? []).length;
    expect(bitCount).toBe(1);
    expect(bytes.filter((byte) => byte !== 0).length).toBe(1);
  });
});
