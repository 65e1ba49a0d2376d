/**
 * Generated TypeScript, compiled by the real compiler under strict settings and run, beside the
 * library on the same items. All modules are compiled at once, because starting it is what takes
 * time.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../src/base/world.ts";
import { codePlanOf } from "../src/keys/code/codePlan.ts";
import { typescriptFor } from "../src/keys/code/typescript.ts";
import { componentOf, type KeyComponent, keyOf } from "../src/keys/component.ts";
import type { KeyLevels } from "../src/keys/expression.ts";
import { parseKeyLevels, printKeyLevels } from "../src/keys/expressionText.ts";
import { pathText, valueAt } from "../src/keys/paths.ts";
import { randomPair } from "../src/keys/randomExpression.fake.ts";
import { timeOf } from "../src/keys/time.ts";
import { type Known, visitsForLevels } from "../src/keys/visits.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RANDOM_COUNT = 150;
const ITEMS_EACH = 40;

/** Those that people use. For these the generated lists are the library's, key by key. */
const TEXTS: readonly string[] = [
  "/tenantId",
  "/b/c",
  "month(/ts)",
  "concat(/id, '-', month(/ts))",
  "concat(/id, '_', week(/ts), '_', hash(/a) % 10)",
  "concat(month(/ts), '/', week(/ts), '/', quarter(/ts))",
  "concat(day(/ts), hour(/at/written))",
  "suffix(/a, hash(/id), 40)",
  "suffix(year(/ts), random(), 7)",
  "concat('bucket_', hash(/id) % 100)",
  "concat('rr_', turn(5))",
  "choose(/id, ['x', '42'], concat(/id, '_', day(/ts)), concat(/id, '_', month(/ts)))",
  "choose(/a, ['x'], 'heavy', 'light')",
  "lower(concat(/id, '-', /a))",
  "hash(month(/ts)) % 4",
  "concat(/ts, '-', year(/ts))",
  "concat(month(/ts), '-', hash(/ts) % 3)",
  "[/tenantId, /id]",
  "[/tenantId, month(/ts), hash(/id) % 4]",
  "'all'",
  "coalesce(/tenantId, concat('none-', /id))",
  "concat(coalesce(/a, /id, 'none'), '-', month(/ts))",
];

/** The library knows that a time is the same in both levels; the generated code does not. */
const WIDER = "[hash(month(/ts)) % 4, day(/ts)]";

interface Generated {
  keyOf(item: unknown, ...draws: (() => number)[]): unknown;
  keysToVisit(known: unknown): unknown[];
}

let folder = "";
let compiled: { readonly status: number | null; readonly output: string };
const modules: { readonly levels: KeyLevels; readonly module: Generated }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "orrery-code-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const options = {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    isolatedDeclarations: true,
    declaration: true,
    types: ["node"],
    outDir: "out",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  const all = [...[...TEXTS, WIDER].map(levelsOf), ...randomLevels()];
  all.forEach((levels, index) => {
    writeFileSync(join(folder, `key${index}.ts`), typescriptFor(levels));
  });
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const run = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  compiled = { status: run.status, output: run.stdout + run.stderr };
  for (const [index, levels] of all.entries()) {
    const url = pathToFileURL(join(folder, `out/key${index}.js`)).href;
    modules.push({ levels, module: (await import(/* @vite-ignore */ url)) as Generated });
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the compiler has nothing to say", () => {
  expect(compiled).toEqual({ status: 0, output: "" });
});

test("the key of any item is the library's", () => {
  const draws = [() => 0.37, () => 12];
  for (const { levels, module } of modules) {
    const drawn = drawsOf(levels, draws);
    for (let seed = 0; seed < ITEMS_EACH; seed++) {
      const item = itemOf(seed);
      const expected = keyOf(levels, item, { random: draws[0]!, turn: draws[1]! });
      const key = module.keyOf(item, ...drawn);
      const where = `${printKeyLevels(levels)} of ${JSON.stringify(item)}`;
      expect(levels.length === 1 ? [key] : key, where).toEqual(expected);
    }
  }
});

test("the keys to visit are the library's, for what people use", () => {
  let compared = 0;
  for (const { levels, module } of modules.slice(0, TEXTS.length)) {
    for (let seed = 0; seed < ITEMS_EACH; seed++) {
      const asked = knownOf(levels, seed);
      const visits = asked && visitsForLevels(levels, asked.known);
      if (visits === undefined) continue;
      const expected = visits.keys.filter((key) => !key.includes(undefined)).map(nameOf);
      const keys = module.keysToVisit(asked!.given).map((key) => nameOf([key].flat() as never));
      const where = `${printKeyLevels(levels)} for ${JSON.stringify(asked!.given)}`;
      expect(keys.sort(), where).toEqual(expected.sort());
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(TEXTS.length * 5);
});

test("the keys to visit leave none of the library's out, for any expression", () => {
  let compared = 0;
  for (const { levels, module } of modules.slice(TEXTS.length)) {
    for (let seed = 0; seed < 5; seed++) {
      const asked = knownOf(levels, seed);
      const visits = asked && visitsForLevels(levels, asked.known);
      if (visits === undefined || visits.keys.length > 1000) continue;
      const given = module.keysToVisit(asked!.given).map((key) => [key].flat() as KeyComponent[]);
      const length = Math.min(given[0]?.length ?? 0, visits.keys[0]?.length ?? 0);
      const keys = new Set(given.map((key) => nameOf(key.slice(0, length))));
      const left = visits.keys
        .filter((key) => !key.includes(undefined))
        .map((key) => nameOf(key.slice(0, length)))
        .filter((name) => !keys.has(name));
      expect(left, `${printKeyLevels(levels)} for ${JSON.stringify(asked!.given)}`).toEqual([]);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(RANDOM_COUNT);
});

test("names of items are part of the names in the code", () => {
  const code = typescriptFor(levelsOf("month(/ts)"), { name: "sensor reading" });
  expect(code).toContain("export function keyOfSensorReading(");
  expect(code).toContain("export function keysToVisitSensorReading(known: KnownSensorReading)");
});

function levelsOf(text: string): KeyLevels {
  const parsed = parseKeyLevels(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error.message}`);
  return parsed.value;
}

function randomLevels(): readonly KeyLevels[] {
  return Array.from({ length: RANDOM_COUNT }, (_, index) =>
    index % 3 === 0
      ? [randomPair(index).expression, randomPair(-index - 1).expression]
      : [randomPair(index).expression],
  );
}

function itemOf(seed: number): Readonly<Record<string, unknown>> {
  return { tenantId: seed % 2 === 0 ? "t" : seed, ...randomPair(seed).item };
}

/** Functions of generated code take only the draws that they use. */
function drawsOf(levels: KeyLevels, [random, turn]: readonly (() => number)[]): (() => number)[] {
  const text = printKeyLevels(levels);
  const draws = [
    /random\(/.test(text) ? random! : undefined,
    /turn\(/.test(text) ? turn! : undefined,
  ];
  return draws.filter((draw) => draw !== undefined);
}

/** What a reader knows of an item: all it must, and some of what it may. For both sides. */
function knownOf(levels: KeyLevels, seed: number): { known: Known; given: unknown } | undefined {
  const random = seededRandom(seed);
  const item = itemOf(seed);
  const values = new Map<string, readonly KeyComponent[]>();
  const given: Record<string, unknown> = {};
  let range: Known["range"];
  for (const input of codePlanOf(levels).inputs) {
    if (!input.isRequired && random.next() < 0.5) continue;
    const path = pathText(input.path);
    const value = componentOf(input.path, item, { random: () => 0, turn: () => 0 });
    if (input.isSpan) {
      const at = timeOf(valueAt(item, input.path.steps));
      // The library takes one range.
      if (at === undefined || range !== undefined) return undefined;
      const [from, to] = [
        at - 40 * 86_400_000 * random.next(),
        at + 40 * 86_400_000 * random.next(),
      ];
      range = { path, from: Math.floor(from), to: Math.floor(to) };
      given[input.name] = { from: new Date(range.from), to: new Date(range.to).toISOString() };
    } else {
      if (value === undefined || value === null) return undefined;
      values.set(path, [value]);
      given[input.name] = value;
    }
  }
  return { known: { values, range }, given };
}

function nameOf(key: readonly KeyComponent[]): string {
  return JSON.stringify(key);
}
