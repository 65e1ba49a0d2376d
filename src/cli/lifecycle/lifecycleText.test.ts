/** Lifecycles and plans as people see them. */
import { expect, test } from "vitest";
import type { LifecycleEntry, LifecyclePlan } from "../../model/lifecycle.ts";
import type { Section } from "../terminal/liveTable.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { entrySections, listSections, setAsideSections } from "./lifecycleText.ts";
import { planSections } from "./planText.ts";

const AT = Date.UTC(2026, 4, 15, 14, 10);
const ENTRY: LifecycleEntry = {
  id: "2-l1",
  kind: "lifecycle",
  hot: { database: "news", container: "current" },
  warm: { database: "news", container: "historical" },
  ageProperty: "/publishedDate",
  ageSeconds: 2_592_000,
  intervalSeconds: 900,
  batch: 100,
  sharePercent: 50,
  markProperty: "migrated",
  markTtlSeconds: 86_400,
  state: "blocked",
  reason: "The hot container does not index /publishedDate any more.",
  startedAt: AT,
  settledBefore: AT - 2_592_000_000,
  movedBefore: AT - 2_592_000_000,
  totals: { moved: 1500, movedBytes: 3_000_000, edited: 2, removed: 3, returned: 1, ru: 12_345 },
  dueCount: 12,
  isDueCountExact: true,
  setAsideCount: 4,
  isSetAsideCountExact: true,
  lagCount: 0,
  throttle: { sharePercent: 50, effectivePercent: 25, bound: "throttledClients" },
  warnings: ["The hot container has its ttl switched off."],
  rounds: [
    {
      startedAt: AT,
      endedAt: AT + 4000,
      cutoff: AT,
      movedCount: 70,
      movedBytes: 2048,
      editedCount: 1,
      removedCount: 0,
      returnedCount: 0,
      setAsideCount: 4,
      ru: 99,
    },
  ],
  events: [{ at: AT, text: "The lifecycle was started." }],
  nextSteps: [{ step: "stop", about: "ends it for good" }],
};

function textOf(sections: readonly Section[]): string {
  let text = "";
  const output = { write: (more: string) => (text += more) };
  new LiveTable(output, {}).print(sections);
  return text;
}

test("one has its state, its settings, its rounds and what can be done", () => {
  const text = textOf(entrySections(ENTRY, " --endpoint http://x"));
  for (const line of [
    "2-l1  news/current to news/historical",
    "stopped by an obstacle: The hot container does not index /publishedDate any more.",
    "Note: The hot container has its ttl switched off.",
    "Moves what is dated more than 30 days ago by /publishedDate, every 15 minutes.",
    "Warm has everything that is dated before 2026-04-15 14:10:00 UTC.",
    "what limits it: clients were throttled.",
    "Set aside: 4; `orrery lifecycle status 2-l1 --set-aside --endpoint http://x` lists them.",
    "orrery lifecycle stop 2-l1 --yes --endpoint http://x",
  ]) {
    expect(text).toContain(line);
  }
  expect(text).toMatch(/2026-05-15 14:10:04 UTC +4 seconds +70 +2 KB +1 +0 +4 +99/);
});

test("what is not known yet is said so", () => {
  const { settledBefore: _, ...unknown } = ENTRY;
  expect(textOf(entrySections(unknown, ""))).toContain(
    "It is not known yet up to which date warm has everything.",
  );
  const looking = { ...ENTRY, isDueCountExact: false };
  expect(textOf(entrySections(looking, ""))).toContain("Due now: at least 12;");
  expect(textOf(entrySections({ ...looking, dueCount: 0 }, ""))).toContain(
    "Due now: not known yet;",
  );
});

test("one that has ended says what it did, and not what it does", () => {
  const text = textOf(
    entrySections(
      { ...ENTRY, state: "stopped", endedAt: Date.UTC(2026, 4, 16), nextSteps: [] },
      "",
    ),
  );
  expect(text).toContain(
    "It moved what was dated more than 30 days ago by /publishedDate, and ended 2026-05-16 00:00",
  );
  expect(text).toContain("Set aside when it ended: 4.");
  for (const line of ["Moves what", "Warm has", "Due now", "Share of", "lists them"]) {
    expect(text).not.toContain(line);
  }
});

test("all are a table, and none is a sentence", () => {
  expect(textOf(listSections([ENTRY]))).toMatch(/2-l1 .*blocked +12 +1,500 +4/);
  expect(textOf(listSections([]))).toContain("There are no lifecycles.");
  expect(textOf(setAsideSections([]))).toContain("No items are set aside.");
});

test("a plan says what is in the way, and what it would do", () => {
  const plan: LifecyclePlan = {
    checks: [
      { about: "a", isMet: true, says: "Both have the partition key /pk." },
      { about: "b", isMet: false, says: "Hot has its ttl switched off." },
    ],
    itemCount: 1000,
    itemBytes: 1_048_576,
    dueCount: 300,
    dueBytes: 300_000,
    setAsideCount: 1,
    setAside: [{ id: "odd", key: ["p"], reason: "It has no /date." }],
    price: { hotRu: 4000, warmRu: 2000, sampleCount: 300 },
    seconds: 30,
    steps: ["Look at every item."],
    obstacles: ["Hot has its ttl switched off."],
  };
  const text = textOf(planSections(plan));
  for (const line of [
    "  ok  Both have the partition key /pk.",
    "  no  Hot has its ttl switched off.",
    '"odd" with key ["p"]: It has no /date.',
    "1. Look at every item.",
    "1 check is not met.",
  ]) {
    expect(text).toContain(line);
  }
  expect(text).toMatch(/price +6,000 RU/);
});
