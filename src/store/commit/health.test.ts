/**
 * A store whose disk is in the way: what is refused, what is told, and how it ends. On a simulated
 * disk and in simulated time; test/disk does the same on real ones.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { lsn, type Millis, millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import { EmbeddedStore } from "../embedded/embeddedStore.ts";
import type { StoreNotice } from "../notice.ts";
import type { ItemWrite } from "../partitionStore.ts";
import { SimulatedBottom } from "../simulatedBottom.fake.ts";
import { SimulatedDisk } from "../simulatedDisk.fake.ts";
import type { Reserve } from "./reserve.ts";

const PART = 1;
const OPTIONS = { segmentBytesMax: 100_000, sealedCountMax: 2 };

/** Time that passes when it is told to, in steps as long as the shortest wait. */
class ManualTime {
  #now = 0;
  readonly #waits = new Set<{ readonly at: number; readonly action: () => void }>();

  readonly clock: Clock = { now: () => millis(this.#now), wallNow: () => this.#now };
  readonly timer: Timer = {
    after: (delay: Millis, action) => {
      const wait = { at: this.#now + delay, action };
      this.#waits.add(wait);
      return () => this.#waits.delete(wait);
    },
    soon: () => Promise.resolve(),
  };

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#waits].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      this.#waits.delete(next);
      next.action();
      await quiet();
    }
    this.#now = end;
  }
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

class Stage {
  readonly time = new ManualTime();
  readonly disk = new SimulatedDisk(seededRandom(1));
  readonly bottom = new SimulatedBottom(this.disk);
  readonly notices: StoreNotice[] = [];
  /** What every write meets. */
  code: string | undefined;
  hasReserveRoom = true;
  /** Steps that the reserve can still give; each lets one write through. */
  reserveSteps = 0;
  #roomCount = 0;
  number = 0;

  constructor() {
    this.disk.faultHook = (operation) => {
      if (this.code === undefined || operation === "remove") return;
      if (this.#roomCount-- > 0) return;
      this.#roomCount = 0;
      throw Object.assign(new Error(`${this.code}: simulated`), { code: this.code });
    };
  }

  readonly reserve: Reserve = {
    bytesMax: 0,
    heldBytes: 0,
    fill: async () => this.hasReserveRoom,
    yieldStep: () => {
      if (this.reserveSteps === 0) return false;
      this.reserveSteps--;
      // A segment and a frame.
      this.#roomCount = 2;
      return true;
    },
  };

  open(): Promise<EmbeddedStore> {
    const { clock, timer } = this.time;
    const { disk, bottom, reserve } = this;
    const notify = (notice: StoreNotice): void => void this.notices.push(notice);
    return EmbeddedStore.open(timer, OPTIONS, { disk, bottom, reserve, clock, notify });
  }

  put(store: EmbeddedStore, key: string): Promise<unknown> {
    const number = ++this.number;
    const put: ItemWrite = {
      kind: "put",
      key,
      number,
      tag: 0,
      body: Buffer.from(key),
      before: undefined,
      termsAdded: [],
      termsRemoved: [],
    };
    return store.commit(PART, 1, [[put]]);
  }

  remove(store: EmbeddedStore, key: string): Promise<unknown> {
    const { number, lsn: at, body } = store.get(PART, key)!;
    const before = { lsn: at, bodyBytes: body.length };
    return store.commit(PART, 1, [
      [{ kind: "delete", key, number, tag: 0, before, termsRemoved: [] }],
    ]);
  }

  told(): readonly string[] {
    return this.notices.map((notice) =>
      "trouble" in notice ? `${notice.trouble.kind} ${notice.kind}` : notice.kind,
    );
  }
}

describe("a disk", () => {
  let stage: Stage;
  let store: EmbeddedStore;

  beforeEach(async () => {
    stage = new Stage();
    store = await stage.open();
    await store.claim(PART, 1);
    await stage.put(store, "a");
    await stage.put(store, "b");
  });

  describe.each([
    ["ENOSPC", "full"],
    ["EDQUOT", "full"],
    ["EROFS", "readOnly"],
  ])("that answers %s", (code, kind) => {
    test("refuses until it does not, and both are told once", async () => {
      stage.code = code;
      for (const key of ["c", "d", "e"]) await expect(stage.put(store, key)).rejects.toThrow();
      await stage.time.pass(5000);
      expect([store.fault, store.obstacle === undefined]).toEqual([undefined, false]);
      expect(stage.told()).toEqual([`${kind} began`]);
      stage.code = undefined;
      await stage.time.pass(5000);
      expect(store.obstacle).toBeUndefined();
      await stage.put(store, "f");
      expect(stage.told()).toEqual([`${kind} began`, `${kind} ended`]);
      expect(["a", "b", "c", "f"].map((key) => store.get(PART, key) !== undefined)).toEqual([
        true,
        true,
        false,
        true,
      ]);
    });

    test("is not asked again for every write that it refuses", async () => {
      stage.code = code;
      await expect(stage.put(store, "c")).rejects.toThrow();
      const { operationCount } = stage.disk;
      for (let count = 0; count < 50; count++) {
        await expect(stage.put(store, "d")).rejects.toBe(store.obstacle);
      }
      expect(stage.disk.operationCount).toBe(operationCount);
    });
  });

  test("that is full takes deletions while the reserve lasts", async () => {
    stage.code = "ENOSPC";
    stage.reserveSteps = 1;
    await expect(stage.put(store, "c")).rejects.toThrow("full");
    await stage.remove(store, "a");
    expect(store.get(PART, "a")).toBeUndefined();
    await expect(stage.remove(store, "b")).rejects.toThrow("reserved for deletions");
    expect(store.get(PART, "b")).toBeDefined();
    await expect(stage.put(store, "c")).rejects.toThrow("takes deletions only");
  });

  test("that fills up in the middle of a frame keeps the deletions in it", async () => {
    stage.code = "ENOSPC";
    stage.reserveSteps = 1;
    const outcomes = await Promise.allSettled([
      stage.put(store, "c"),
      stage.remove(store, "a"),
      stage.put(store, "d"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    expect(["a", "c", "d"].map((key) => store.get(PART, key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("that fails otherwise stops writing for good, and is told with its place", async () => {
    stage.code = "EIO";
    await expect(stage.put(store, "c")).rejects.toThrow("until it is started again");
    stage.code = undefined;
    await stage.time.pass(20_000);
    await expect(stage.put(store, "d")).rejects.toBe(store.fault);
    await expect(stage.remove(store, "a")).rejects.toBe(store.fault);
    expect(stage.notices).toEqual([
      {
        kind: "began",
        trouble: {
          kind: "failed",
          activity: "writing the journal",
          file: "0000000001.journal",
          offset: expect.any(Number),
          reason: "EIO: simulated",
        },
      },
    ]);
    expect(store.get(PART, "a")).toBeDefined();
  });

  test("that has lost its files stops writing within a second, also when nobody writes", async () => {
    stage.disk.gone = { what: "the directory of the journal", path: "/somewhere/journal" };
    await stage.time.pass(1000);
    expect(stage.told()).toEqual(["lost began"]);
    const refusal = await stage.put(store, "c").catch((error: Error) => error.message);
    expect(refusal).toContain("the directory of the journal is gone from its place");
    expect(refusal).not.toContain("/somewhere");
    await expect(stage.remove(store, "a")).rejects.toBe(store.fault);
  });

  test("that has lost its files acknowledges nothing after a pause", async () => {
    stage.disk.gone = { what: "the directory of the journal", path: "/somewhere/journal" };
    // The clock goes on, and no timer has had its turn yet.
    const { now } = stage.time.clock;
    Object.assign(stage.time.clock, { now: () => millis(now() + 600) });
    await expect(stage.put(store, "c")).rejects.toThrow("gone");
  });

  test("that does not answer is told, refuses nothing, and is told again when it does", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.disk.delay = () => held;
    const slow = stage.put(store, "c");
    await stage.time.pass(4000);
    expect(stage.told()).toEqual([]);
    await stage.time.pass(2000);
    expect(stage.told()).toEqual(["stalled began"]);
    expect(store.get(PART, "a")).toBeDefined();
    stage.disk.delay = undefined;
    release();
    await slow;
    expect(stage.told()).toEqual(["stalled began", "stalled ended"]);
  });
});

describe("a store that opens on a full disk", () => {
  test("says so at once, and takes deletions", async () => {
    const stage = new Stage();
    const before = await stage.open();
    await before.claim(PART, 1);
    await stage.put(before, "a");
    await before.close();

    stage.hasReserveRoom = false;
    const store = await stage.open();
    expect(stage.told()).toEqual(["full began"]);
    await expect(stage.put(store, "b")).rejects.toThrow("full");
    await stage.remove(store, "a");
    stage.hasReserveRoom = true;
    await stage.time.pass(2000);
    await stage.put(store, "b");
    expect(stage.told()).toEqual(["full began", "full ended"]);
  });

  test("has its parts taken over, and says so with the next write", async () => {
    const stage = new Stage();
    const before = await stage.open();
    await before.claim(PART, 1);
    await stage.put(before, "a");
    await before.close();

    stage.code = "ENOSPC";
    const store = await stage.open();
    expect(await store.claim(PART, 2)).toMatchObject({ epoch: 2 });
    expect(store.get(PART, "a")).toBeDefined();
    await expect(store.claim(PART + 1, 2)).rejects.toThrow("full");
    expect(store.parts()).toEqual([PART]);
    stage.code = undefined;
    await stage.time.pass(3000);
    expect(store.obstacle).toBeUndefined();
    await store.close();

    const after = await stage.open();
    expect(after.head(PART)).toMatchObject({ epoch: 2, lsn: lsn(1) });
  });

  test("that ends before there is room leaves everything as it was", async () => {
    const stage = new Stage();
    const before = await stage.open();
    await before.claim(PART, 1);
    await before.close();
    stage.code = "ENOSPC";
    const full = await stage.open();
    await full.claim(PART, 2);
    await full.close();
    stage.code = undefined;
    const after = await stage.open();
    expect(after.head(PART)).toMatchObject({ epoch: 1 });
    expect(await after.claim(PART, 2)).toMatchObject({ epoch: 2 });
  });
});

test("an end of the journal that is not whole is told with its place", async () => {
  const stage = new Stage();
  const before = await stage.open();
  await before.claim(PART, 1);
  stage.code = "EIO";
  await expect(stage.put(before, "c")).rejects.toThrow();
  const name = "0000000001.journal";
  const bytes = await stage.disk.read(name);
  await stage.disk.remove(name);
  stage.code = undefined;
  await stage.disk.create(name, Buffer.concat([bytes, Buffer.from("half a frame")]));
  stage.notices.length = 0;
  await stage.open();
  expect(stage.notices).toEqual([
    { kind: "tailDropped", file: name, offset: bytes.length, bytes: 12 },
  ]);
});
