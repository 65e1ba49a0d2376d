/**
 * The page that newcomers read first is short, and its table of folders is what the code does:
 * every folder of `src` has a row, with the folders that its files import. The law itself, for
 * every room, is test/tidy; this is the page about it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = readFileSync(`${ROOT}docs/inside/architecture.md`, "utf8");
/** Ten minutes at the pace of somebody who reads a page of a manual. */
const WORDS_MAX = 2200;

/** Folder → the folders it imports besides `base`, in the order of the alphabet. */
interface Arrows {
  readonly values: string[];
  /** Of these only types. */
  readonly types: string[];
}

test("the architecture can be read in ten minutes", () => {
  expect(PAGE.split(/\s+/).length).toBeLessThan(WORDS_MAX);
});

test("the table of folders says what the folders import", () => {
  expect(tableOf(PAGE)).toEqual(arrowsOf(sources()));
});

describe("the comparison", () => {
  test("reads rows of the table", () => {
    const page =
      "| `a` | x | only `base` |\n| `b` | `y` | `a`, `c`; types of `d` |\n| c | z | `a` |\n";
    expect(tableOf(page)).toEqual({
      a: { values: [], types: [] },
      b: { values: ["a", "c"], types: ["d"] },
    });
  });

  test("reads imports of files", () => {
    const twoUp = "../".repeat(2);
    const files = new Map([
      ["a/one.ts", 'import { x } from "../base/x.ts";\nimport { y } from "./two.ts";\n'],
      ["b/one.ts", 'import type { T } from "../a/one.ts";\nimport {\n  z,\n} from "../c/z.ts";\n'],
      [
        "b/in/two.ts",
        `import { y } from "${twoUp}a/two.ts";\nimport type { U } from "${twoUp}d/u.ts";\n`,
      ],
    ]);
    expect(arrowsOf(files)).toEqual({
      a: { values: [], types: [] },
      b: { values: ["a", "c"], types: ["d"] },
    });
  });
});

function tableOf(page: string): Record<string, Arrows> {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| [^|]+ \| ([^|]+?) +\|$/gm)];
  return Object.fromEntries(
    rows.map(([, folder, cell]) => {
      const [values = "", types = ""] = cell!.split("types of");
      return [folder!, { values: namesIn(values), types: namesIn(types) }];
    }),
  );
}

function namesIn(text: string): string[] {
  const names = [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  return names.filter((name) => name !== "base").toSorted();
}

function arrowsOf(files: ReadonlyMap<string, string>): Record<string, Arrows> {
  const found = new Map<string, { values: Set<string>; types: Set<string> }>();
  for (const [path, text] of files) {
    const folder = path.split("/")[0]!;
    const arrows = found.get(folder) ?? { values: new Set(), types: new Set() };
    found.set(folder, arrows);
    for (const [, isType, target] of text.matchAll(
      /^(?:import|export)( type)? [^;]*?from "(\.[^"]+)";/gm,
    )) {
      const imported = posix.join(posix.dirname(path), target!).split("/")[0]!;
      if (imported === folder || imported === "base") continue;
      (isType === undefined ? arrows.values : arrows.types).add(imported);
    }
  }
  return Object.fromEntries(
    [...found].map(([folder, { values, types }]) => [
      folder,
      {
        values: [...values].toSorted(),
        types: [...types].filter((name) => !values.has(name)).toSorted(),
      },
    ]),
  );
}

/** Files of the folders of `src`, without tests and stand-ins. */
function sources(): ReadonlyMap<string, string> {
  const paths = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.includes("/") && /(?<!\.(?:test|fake))\.tsx?$/.test(path));
  return new Map(paths.map((path) => [path, readFileSync(`${ROOT}src/${path}`, "utf8")]));
}
