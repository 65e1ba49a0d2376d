/** What a server still does to its journal after another one has taken its directory. */
import { beforeEach, expect, test } from "vitest";
import type { Disk } from "../../store/disk.ts";
import { faultOf, troubleKindOf } from "../../store/faults.ts";
import { DataLost, fencedDisk } from "./fencedDisk.ts";

let isHeld: boolean;
let lostCount: number;
let done: string[];
let disk: Disk;

beforeEach(() => {
  isHeld = true;
  lostCount = 0;
  done = [];
  const inner: Disk = {
    names: async () => ["1"],
    read: async (name) => Buffer.from(name),
    create: async (name) => {
      done.push(`create ${name}`);
      return {
        append: async () => void done.push(`append ${name}`),
        close: async () => void done.push(`close ${name}`),
      };
    },
    remove: async (name) => void done.push(`remove ${name}`),
    trial: async () => undefined,
    freeBytes: async () => undefined,
    missing: async () => undefined,
  };
  disk = fencedDisk(inner, { isStillHeld: () => isHeld, onLost: () => void lostCount++ });
});

test("everything goes through while the lock is held", async () => {
  const file = await disk.create("2", Buffer.alloc(1));
  await file.append(Buffer.alloc(1));
  await file.close();
  await disk.remove("1");
  expect(done).toEqual(["create 2", "append 2", "close 2", "remove 1"]);
  expect(lostCount).toBe(0);
});

test("an append that was under way when the lock was lost is not acknowledged", async () => {
  const file = await disk.create("2", Buffer.alloc(1));
  const appending = file.append(Buffer.alloc(1));
  isHeld = false;
  await expect(appending).rejects.toThrow(DataLost);
});

test("nothing is made or removed after that, the files can be read and closed", async () => {
  const file = await disk.create("2", Buffer.alloc(1));
  isHeld = false;
  await expect(disk.create("3", Buffer.alloc(1))).rejects.toThrow(DataLost);
  await expect(disk.remove("1")).rejects.toThrow(DataLost);
  expect(await disk.names()).toEqual(["1"]);
  expect((await disk.read("1")).toString()).toBe("1");
  await file.close();
  expect(done).toEqual(["create 2", "close 2"]);
});

test("a loss is told once, and is for ever", async () => {
  isHeld = false;
  await expect(disk.remove("1")).rejects.toThrow(DataLost);
  isHeld = true;
  await expect(disk.remove("1")).rejects.toThrow(DataLost);
  expect(lostCount).toBe(1);
});

test("it is no failure of the disk", () => {
  const lost = new DataLost();
  expect(troubleKindOf(lost)).toBe("lost");
  const { message } = faultOf("lost", { activity: "writing the journal", cause: lost });
  expect(message).toBe(
    "The server takes no more writes: another server has taken over the data directory, or its " +
      "lock was removed. Reads go on.",
  );
});

test("the words name no path, because clients are told them", () => {
  expect(new DataLost().message).not.toMatch(/[/\\]/);
});
