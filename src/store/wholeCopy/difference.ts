/** Whether two stores answer alike, part by part and read by read. */
import { lsn } from "../../base/units.ts";
import type {
  FamilyTally,
  KeptVersion,
  LogEntry,
  StoredItem,
  TermEntry,
} from "../partitionStore.ts";
import type { SourceStore } from "./copyPart.ts";

const COUNT = 1024;
const BYTES = 1024 * 1024;
const WHOLE = { min: "", max: "\xff".repeat(64) };

/** What is not the same, as a sentence; undefined if nothing. */
export async function differenceOf(
  source: SourceStore,
  target: SourceStore,
  part: number,
  onItems: (count: number) => void,
): Promise<string | undefined> {
  const heads = [await source.head(part), await target.head(part)].map((head) =>
    JSON.stringify(head),
  );
  if (heads[0] !== heads[1]) return `the counters are ${heads[1]} instead of ${heads[0]}`;
  for (const { what, pages, textOf } of READS) {
    const theirs = pages(target, part);
    for await (const page of pages(source, part)) {
      if (what === "item") onItems(page.length);
      for (const one of page) {
        const other = await next(theirs);
        const wanted = textOf(one);
        if (other === undefined) return `${what} ${wanted} is missing`;
        const found = textOf(other);
        if (found !== wanted) return `${what} ${found} is there instead of ${wanted}`;
      }
    }
    const more = await next(theirs);
    if (more !== undefined) return `${what} ${textOf(more)} is one too many`;
  }
  return undefined;
}

type Pages = AsyncGenerator<readonly unknown[], void, undefined> & { rest?: unknown[] };

/** The next one of a row of pages, of which each may be of another length than the other's. */
async function next(pages: Pages): Promise<unknown> {
  pages.rest ??= [];
  while (pages.rest.length === 0) {
    const page = await pages.next();
    if (page.done === true) return undefined;
    pages.rest = [...page.value].reverse();
  }
  return pages.rest.pop();
}

interface Read {
  readonly what: string;
  pages(store: SourceStore, part: number): Pages;
  textOf(one: unknown): string;
}

const READS: readonly Read[] = [
  { what: "item", pages: items, textOf: (one) => bodied(one as StoredItem) },
  { what: "log entry", pages: log, textOf: (one) => JSON.stringify(one as LogEntry) },
  { what: "term", pages: terms, textOf: (one) => JSON.stringify(one as TermEntry) },
  { what: "kept version", pages: versions, textOf: (one) => bodied(one as KeptVersion) },
  { what: "size", pages: tallies, textOf: (one) => JSON.stringify(one as FamilyTally) },
];

/** In one order of members, whichever store made it. */
function bodied({ body, ...rest }: { readonly body: Buffer }): string {
  const members = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(members)} ${body.toString("latin1")}`;
}

async function* items(store: SourceStore, part: number): Pages {
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await store.scanItems(part, after, { countMax: COUNT, bytesMax: BYTES });
    yield page.items;
    after = page.items.at(-1)?.number ?? after;
    isLast = page.isLast;
  }
}

async function* log(store: SourceStore, part: number): Pages {
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readLog(part, after, COUNT);
    yield page.entries.map(({ lsn: at, number, kind, key }) => [at, number, kind, key]);
    after = page.entries.at(-1)?.lsn ?? after;
    isLast = page.isLast;
  }
}

async function* terms(store: SourceStore, part: number): Pages {
  const scan = { range: WHOLE, withItems: false, countMax: 4 * COUNT, bytesMax: BYTES };
  for (let after: TermEntry | undefined, isLast = false; !isLast; ) {
    const page = await store.scanTerms(part, { ...scan, after });
    yield page.entries.map(({ term, number }) => [term, number]);
    after = page.entries.at(-1) ?? after;
    isLast = page.isLast;
  }
}

async function* versions(store: SourceStore, part: number): Pages {
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readVersions(part, after, { countMax: COUNT, bytesMax: BYTES });
    yield page.versions;
    after = page.versions.at(-1)?.lsn ?? after;
    isLast = page.isLast;
  }
}

async function* tallies(store: SourceStore, part: number): Pages {
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const page = await store.scanTallies(part, { range: WHOLE, after, countMax: COUNT });
    yield page.tallies.map(({ family, itemCount, itemBytes }) => [family, itemCount, itemBytes]);
    after = page.tallies.at(-1)?.family ?? after;
    isLast = page.isLast;
  }
}
