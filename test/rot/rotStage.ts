/**
 * A data directory of which one bit at a time changes, and the question what a store makes of it:
 * every answer is the right one or says that it cannot be given.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lsn } from "../../src/base/units.ts";
import type { Random } from "../../src/base/world.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { flipBit } from "../../src/store/journal/oneBit.ts";
import type { TermEntry } from "../../src/store/partitionStore.ts";
import { StoreDamage, StoreFault } from "../../src/store/partitionStore.ts";
import { openStore } from "../backup/damageStage.ts";
import { pick } from "../crash/workload.ts";

const LIMITS = { countMax: 1e6, bytesMax: 1e12 };
const ALL_TERMS = { range: { min: "", max: "\xff".repeat(16) }, withItems: true, ...LIMITS };

/** What a store says when asked for everything it has, question by question. */
export type Answers = ReadonlyMap<string, string>;

const DAMAGED = "damaged";

export type RotOutcome = "unharmed" | "damageTold" | "refusedToOpen";

interface Flip {
  readonly file: string;
  readonly bit: number;
}

/** The files in which a bit may change. */
export function filesOf(directory: string): readonly string[] {
  const journal = readdirSync(join(directory, "journal")).map((name) => join("journal", name));
  return [join("tables", "data.mdb"), join("tables", "pages.sums"), ...journal];
}

/** Every file has the same share, so that the small ones get theirs. */
export function randomFlip(directory: string, random: Random): Flip {
  const files = filesOf(directory);
  // Half of all flips hit the tables: they are the largest by far.
  const file = pick(random, 2) === 0 ? files[0]! : files[pick(random, files.length)]!;
  return { file, bit: pick(random, statSync(join(directory, file)).size * 8) };
}

export function copyWithFlip(template: string, directory: string, { file, bit }: Flip): void {
  rmSync(directory, { recursive: true, force: true });
  cpSync(template, directory, { recursive: true });
  const path = join(directory, file);
  const bytes = readFileSync(path);
  flipBit(bytes, bit);
  writeFileSync(path, bytes);
}

/** Asks for all items by key and in a row, all terms, logs, versions, tallies and heads. */
export function askEverything(store: EmbeddedStore, expected?: Answers): Map<string, string> {
  const answers = new Map<string, string>();
  const ask = (question: string, answer: () => unknown): void => {
    answers.set(question, answered(answer));
  };
  ask("parts", () => store.parts());
  for (const part of store.parts()) {
    // An opening claims the parts anew; nothing else of a head may change.
    ask(`head ${part}`, () => ({ ...store.head(part), epoch: 0 }));
    ask(`items ${part}`, () => store.scanItems(part, 0, LIMITS).items.map(itemText));
    ask(`terms ${part}`, () => store.scanTerms(part, ALL_TERMS).entries.map(termText));
    ask(`terms of ${part}, back`, () =>
      store.scanTerms(part, { ...ALL_TERMS, isReverse: true }).entries.map(termText),
    );
    ask(`log ${part}`, () => store.readLog(part, lsn(0), 1e6).entries);
    ask(`versions ${part}`, () =>
      store.readVersions(part, lsn(0), LIMITS).versions.map((one) => ({ ...one, body: text(one) })),
    );
    ask(`tallies ${part}`, () => store.scanTallies(part, ALL_TERMS).tallies);
  }
  const keys =
    expected === undefined
      ? keysOf(store)
      : [...expected.keys()].filter((one) => one.startsWith("get "));
  for (const question of keys) {
    const [, part, key] = /^get (\d+) (.*)$/s.exec(question)!;
    ask(question, () => itemText(store.get(Number(part), key!)));
  }
  return answers;
}

function keysOf(store: EmbeddedStore): readonly string[] {
  return store
    .parts()
    .flatMap((part) =>
      store
        .scanItems(part, 0, LIMITS)
        .items.flatMap(({ key }) => [`get ${part} ${key}`, `get ${part} ${key}absent`]),
    );
}

function answered(answer: () => unknown): string {
  try {
    return JSON.stringify(answer()) ?? "undefined";
  } catch (error) {
    if (error instanceof StoreDamage) return DAMAGED;
    throw error;
  }
}

function itemText(
  item: ReturnType<EmbeddedStore["scanItems"]>["items"][number] | undefined,
): unknown {
  return item && { ...item, body: text(item) };
}

function termText({ term, number, item }: TermEntry): unknown {
  return { term, number, body: item && text(item) };
}

function text({ body }: { readonly body: Buffer }): string {
  return body.toString("latin1");
}

/** Opens a directory and compares its answers with those that it ought to give. */
export async function outcomeOf(
  directory: string,
  expected: Answers,
): Promise<{ readonly outcome: RotOutcome; readonly wrong: readonly string[] }> {
  let store: EmbeddedStore;
  try {
    ({ store } = await openStore(directory));
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    return { outcome: "refusedToOpen", wrong: [] };
  }
  try {
    const answers = askEverything(store, expected);
    const wrong = [...expected].flatMap(([question, answer]) => {
      const given = answers.get(question);
      return given === answer || given === DAMAGED ? [] : [`${question}: ${given?.slice(0, 300)}`];
    });
    const isTold = [...answers.values()].includes(DAMAGED);
    return { outcome: isTold ? "damageTold" : "unharmed", wrong };
  } finally {
    await store.close();
  }
}
