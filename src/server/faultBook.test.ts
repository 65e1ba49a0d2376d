/** What storage faults are called in the log, and what stands in the book for the alerts. */
import { expect, test } from "vitest";
import type { DiskTrouble, StoreNotice, TroubleKind } from "../store/notice.ts";
import { FaultBook } from "./faultBook.ts";

type Line = readonly [event: string, fields: Readonly<Record<string, unknown>> | undefined];

function opened() {
  const lines: Line[] = [];
  let now = 1000;
  const book = new FaultBook({
    log: (event, fields) => lines.push([event, fields]),
    wallNow: () => now,
    directory: "/data",
  });
  const at = (time: number): void => {
    now = time;
  };
  return { book, lines, at };
}

const troubleOf = (kind: TroubleKind): DiskTrouble => ({
  kind,
  activity: "writing the journal",
  file: "7.journal",
  offset: 123,
  reason: "the system's words about /data/journal/7.journal",
});

const KINDS: readonly TroubleKind[] = ["full", "readOnly", "lost", "failed", "stalled"];

test.each(KINDS)("%s is one line when it begins and one when it ends", (kind) => {
  const { book, lines } = opened();
  book.note({ kind: "began", trouble: troubleOf(kind) });
  expect(lines).toHaveLength(1);
  const [event, fields] = lines[0]!;
  expect(event).toBe("storageFault");
  expect(fields).toMatchObject({ kind, file: "7.journal", offset: 123, directory: "/data" });
  expect(fields?.["says"]).toMatch(/^[A-Z].*\.$/);
  expect(fields?.["todo"]).not.toEqual([]);
  expect(book.report().troubles).toMatchObject([{ kind, since: 1000 }]);
  book.note({ kind: "ended", trouble: troubleOf(kind) });
  expect(lines.map(([name]) => name)).toEqual(["storageFault", "storageFaultEnded"]);
  expect(book.report().troubles).toEqual([]);
});

test("paths are in the log and not in what alerts say", () => {
  const { book, lines } = opened();
  for (const kind of KINDS) book.note({ kind: "began", trouble: troubleOf(kind) });
  expect(JSON.stringify(lines)).toContain("/data/journal");
  expect(JSON.stringify(book.report())).not.toContain("/data");
});

test("a trouble that had lasted already is dated back", () => {
  const { book, at } = opened();
  at(9000);
  book.note({ kind: "began", trouble: { ...troubleOf("stalled"), lastedMs: 5000 } });
  expect(book.report().troubles).toMatchObject([{ since: 4000 }]);
});

test("an end that was dropped is told with file, offset and bytes", () => {
  const { book, lines } = opened();
  book.note({ kind: "tailDropped", file: "7.journal", offset: 28, bytes: 12 });
  const [event, fields] = lines[0]!;
  expect([event, fields]).toMatchObject([
    "journalTailDropped",
    { file: "7.journal", offset: 28, bytes: 12, directory: "/data" },
  ]);
  expect(book.report().droppedTails).toMatchObject([{ at: 1000 }]);
});

test("damage is told once for each place, by the name of its container", () => {
  const { book, lines } = opened();
  const damage = (part: number, what: string): StoreNotice => ({
    kind: "damaged",
    damage: { file: "data.mdb", part, what },
  });
  book.nameOfPart = (part) => (part === 3 ? "shop/orders" : undefined);
  for (let count = 0; count < 3; count++) book.note(damage(3, "item 12"));
  book.note(damage(4, "item 12"));
  expect(lines.map(([, fields]) => fields?.["says"])).toEqual([
    "Stored data is damaged: item 12 of container shop/orders. Requests for it are refused.",
    "Stored data is damaged: item 12 of part 4 of the store. Requests for it are refused.",
  ]);
  for (let number = 0; number < 500; number++) book.note(damage(5, `item ${number}`));
  expect(lines).toHaveLength(100);
  expect(book.report().damageCount).toBe(502);
});
