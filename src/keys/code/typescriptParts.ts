/**
 * The functions that generated TypeScript leans on, each with its own text. A part is written out
 * when the code, or another part that is, calls it.
 *
 * They say again what `component.ts`, `time.ts`, `period.ts` and `stableHash.ts` do, in a form that
 * reads well in somebody else's file; the test runs both on the same items.
 */

/** What each calls stands beside it. */
const PARTS: readonly (readonly [name: string, calls: string, code: string])[] = [
  ["KeyValue", "", "export type KeyValue = string | number | boolean | null;"],
  ["nextTurn", "", "let turns = 0;\nfunction nextTurn(): number {\n  return turns++;\n}"],
  [
    "extended",
    "KeyValue distinct",
    `function extended(keys: KeyValue[][], list: readonly (KeyValue | undefined)[]): KeyValue[][] {
  return keys.flatMap((key) => distinct(list).map((value) => [...key, value]));
}`,
  ],
  [
    "distinct",
    "",
    `/** Each once; what has no key is nowhere to be found. */
function distinct<T>(list: readonly T[]): Exclude<T, undefined>[] {
  const present = list.filter((value): value is Exclude<T, undefined> => value !== undefined);
  return [...new Set(present)];
}`,
  ],
  [
    "firstOf",
    "",
    `/** The first that has a value. */
function firstOf(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined);
}`,
  ],
  [
    "orElse",
    "",
    `/** Those of the first; where one of them has no value, those of the second, too. */
function orElse(
  first: readonly (string | undefined)[],
  second: readonly (string | undefined)[],
): (string | undefined)[] {
  const present = first.filter((text) => text !== undefined);
  return present.length === first.length ? present : [...present, ...second];
}`,
  ],
  [
    "combined",
    "joined",
    `/** Every way to take one text of each list, one after the other. */
function combined(...lists: readonly (string | undefined)[][]): (string | undefined)[] {
  return lists.reduce<(string | undefined)[]>(
    (begun, list) => begun.flatMap((text) => list.map((next) => joined(text, next))),
    [""],
  );
}`,
  ],
  [
    "numbers",
    "",
    `function numbers(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}`,
  ],
  [
    "momentsIn",
    "time",
    `/** A moment of each piece of the span in which all periods stay the same. */
function momentsIn(span: Span | undefined, ...nexts: readonly ((at: number) => number)[]): Date[] {
  if (span === undefined) return [];
  const [from, to] = [time(span.from), time(span.to)];
  if (from === undefined || to === undefined) throw new RangeError("A span has two times.");
  const moments: Date[] = [];
  for (let at = from; at <= to; at = Math.min(...nexts.map((next) => next(at)))) {
    moments.push(new Date(at));
  }
  return moments;
}`,
  ],
  [
    "nextHour",
    "",
    `function nextHour(at: number): number {
  return (Math.floor(at / 3_600_000) + 1) * 3_600_000;
}`,
  ],
  [
    "nextDay",
    "",
    `function nextDay(at: number): number {
  return (Math.floor(at / 86_400_000) + 1) * 86_400_000;
}`,
  ],
  [
    "nextWeek",
    "mondayOf",
    "function nextWeek(at: number): number {\n  return mondayOf(at) + 7 * 86_400_000;\n}",
  ],
  [
    "nextMonth",
    "nextMonths",
    "function nextMonth(at: number): number {\n  return nextMonths(at, 1);\n}",
  ],
  [
    "nextQuarter",
    "nextMonths",
    "function nextQuarter(at: number): number {\n  return nextMonths(at, 3);\n}",
  ],
  [
    "nextYear",
    "nextMonths",
    "function nextYear(at: number): number {\n  return nextMonths(at, 12);\n}",
  ],
  [
    "nextMonths",
    "",
    `function nextMonths(at: number, length: number): number {
  const date = new Date(at);
  date.setUTCHours(0, 0, 0, 0);
  return date.setUTCMonth((Math.floor(date.getUTCMonth() / length) + 1) * length, 1);
}`,
  ],
  [
    "isOneOf",
    "",
    `function isOneOf(text: string | undefined, values: readonly string[]): boolean {
  return text !== undefined && values.includes(text);
}`,
  ],
  [
    "joined",
    "",
    `/** One after the other; undefined when one is. */
function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
}`,
  ],
  [
    "drawn",
    "",
    `function drawn(number: number, first: number): string {
  return String(Math.floor(number) + first);
}`,
  ],
  [
    "bucket",
    "",
    `/** A stable number: FNV-1a over UTF-8 with the final mix of murmur3. Never change it. */
function bucket(text: string | undefined, count: number, first: number): string | undefined {
  if (text === undefined) return undefined;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return String((((hash ^ (hash >>> 16)) >>> 0) % count) + first);
}`,
  ],
  [
    "lower",
    "",
    `/** Letter by letter, so that it is the same in every language. */
function lower(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const letters = Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
  return letters.join("");
}`,
  ],
  [
    "hour",
    "isoOf",
    `function hour(value: unknown): string | undefined {
  return isoOf(value)?.slice(0, 13);
}`,
  ],
  [
    "day",
    "isoOf",
    `function day(value: unknown): string | undefined {
  return isoOf(value)?.slice(0, 10);
}`,
  ],
  [
    "week",
    "time mondayOf",
    `/** ISO 8601: from Monday on, in the year of its Thursday. */
function week(value: unknown): string | undefined {
  const at = time(value);
  if (at === undefined) return undefined;
  const thursday = mondayOf(at) + 3 * 86_400_000;
  const year = new Date(thursday).toISOString().slice(0, 4);
  const days = (thursday - Date.parse(\`\${year}-01-01T00:00:00Z\`)) / 86_400_000;
  return \`\${year}-W\${String(Math.floor(days / 7) + 1).padStart(2, "0")}\`;
}`,
  ],
  [
    "month",
    "isoOf",
    `function month(value: unknown): string | undefined {
  return isoOf(value)?.slice(0, 7);
}`,
  ],
  [
    "quarter",
    "isoOf",
    `function quarter(value: unknown): string | undefined {
  const iso = isoOf(value);
  return iso && \`\${iso.slice(0, 4)}-Q\${Math.ceil(Number(iso.slice(5, 7)) / 3)}\`;
}`,
  ],
  [
    "year",
    "isoOf",
    `function year(value: unknown): string | undefined {
  return isoOf(value)?.slice(0, 4);
}`,
  ],
  [
    "mondayOf",
    "",
    `/** 1 January 1970 was a Thursday. */
function mondayOf(at: number): number {
  return Math.floor((at / 86_400_000 + 3) / 7) * 7 * 86_400_000 - 3 * 86_400_000;
}`,
  ],
  [
    "isoOf",
    "time",
    `function isoOf(value: unknown): string | undefined {
  const at = time(value);
  return at === undefined ? undefined : new Date(at).toISOString();
}`,
  ],
  [
    "time",
    "",
    `/** Milliseconds since 1970; undefined when it is no time of the years 0001 to 9999. */
function time(value: unknown): number | undefined {
  const at =
    value instanceof Date
      ? value.getTime()
      : typeof value === "number"
        ? Math.floor(Math.abs(value) < 1e11 ? value * 1000 : value)
        : typeof value === "string"
          ? timeOfText(value)
          : Number.NaN;
  return at >= -62_135_596_800_000 && at < 253_402_300_800_000 ? at : undefined;
}

const ISO_DATE = /^(\\d{4})(?:-(\\d\\d)(?:-(\\d\\d)(?:[T ](.*))?)?)?$/i;
const ISO_CLOCK = /^([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d)(?:[.,](\\d+))?)?(.*)$/;
const ISO_OFFSET = /^(?:Z?|([+-](?:[01]\\d|2[0-3]))(?::?([0-5]\\d))?)$/i;

function timeOfText(text: string): number {
  const [matched, year, month = "01", day = "01", clock = "00:00"] = ISO_DATE.exec(text) ?? [];
  const date = new Date(\`\${year}-\${month}-\${day}T00:00:00Z\`);
  const found = ISO_CLOCK.exec(clock);
  const offset = ISO_OFFSET.exec(found?.[5] ?? "");
  // A day that its month does not have would be read as one of the next.
  const isDay = !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
  if (matched === undefined || found === null || offset === null || !isDay) return Number.NaN;
  const [, hours, minutes, seconds = "0", fraction = ""] = found;
  const [, ahead = "+0", aheadMinutes = "0"] = offset;
  const sign = ahead.startsWith("-") ? -1 : 1;
  const late = Number(hours) * 60 + Number(minutes);
  const early = Number(ahead) * 60 + sign * Number(aheadMinutes);
  const millis = Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return date.getTime() + (late - early) * 60_000 + millis;
}`,
  ],
  [
    "text",
    "scalar",
    `/** As it is written inside a longer key. */
function text(value: unknown): string | undefined {
  const found = scalar(value);
  return found === null || found === undefined ? undefined : String(found);
}`,
  ],
  [
    "scalar",
    "",
    `/** What JSON makes of a value; undefined for what cannot be a key. */
function scalar(value: unknown): string | number | boolean | null | undefined {
  if (value instanceof Date) return value.toJSON();
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return undefined;
}`,
  ],
  [
    "valueAt",
    "",
    `function valueAt(item: unknown, ...steps: readonly string[]): unknown {
  let value = item;
  for (const step of steps) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}`,
  ],
];

/** The parts that the code calls, and those that they call in turn, in the order of the table. */
export function typescriptParts(code: string): readonly string[] {
  // What stands in quotes is somebody's text, not a call.
  const calls = code.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const used = new Set<string>();
  const use = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    const part = PARTS.find(([other]) => other === name);
    for (const called of part?.[1].split(" ") ?? []) use(called);
  };
  for (const [name] of PARTS) {
    if (new RegExp(`(?<![.\\w])${name}\\b`).test(calls)) use(name);
  }
  return PARTS.filter(([name]) => used.has(name)).map(([, , part]) => part);
}
