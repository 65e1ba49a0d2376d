/**
 * Every rule about the code finds the breach that is planted here for it, and nothing where there
 * is none. A rule that could not fail would be no rule.
 */
import { describe, expect, test } from "vitest";
import { BANS, complaintsAboutCalls, complaintsAboutHeaders } from "./bans.ts";
import { complaintsAboutCycles } from "./cycles.ts";
import { complaintsAboutImports, complaintsAboutLaw, type ImportRules } from "./imports.ts";
import type { Law } from "./law.ts";
import { complaintsAboutDeadExports, complaintsAboutSameNames } from "./names.ts";
import {
  complaintsAboutDeadFiles,
  complaintsAboutPaths,
  complaintsAboutWaiting,
} from "./places.ts";
import { complaintsAboutFolders, complaintsAboutFunctions, complaintsAboutShape } from "./shape.ts";
import type { Files } from "./sources.ts";

const OPENING = "/** What it is. */\n";

/** Files that open as they should, with the given text after that. */
function tree(texts: Readonly<Record<string, string>>): Files {
  return new Map(Object.entries(texts).map(([path, text]) => [path, `${OPENING}${text}`]));
}

const linesOf = (count: number, line = "a();"): string => `${line}\n`.repeat(count);

describe("shape", () => {
  const about = (path: string, text: string): string[] =>
    complaintsAboutShape(tree({ [path]: text }));

  test("a file of many lines", () => {
    expect(about("src/a/b.ts", linesOf(370))).toEqual([]);
    expect(about("src/a/b.ts", linesOf(400))).toEqual(["src/a/b.ts has 401 lines, over 380"]);
  });

  test("import lines are not counted", () => {
    const imports = linesOf(50, 'import { a } from "./a.ts";');
    expect(about("src/a/b.ts", imports + linesOf(370))).toEqual([]);
  });

  test("a test may be longer, but not endless", () => {
    expect(about("src/a/b.test.ts", linesOf(590))).toEqual([]);
    expect(about("src/a/b.test.ts", linesOf(610))).toHaveLength(1);
  });

  test("a wide line", () => {
    expect(about("src/a/b.ts", `${"a".repeat(101)}\n`)).toEqual(["src/a/b.ts:2 over 100 columns"]);
  });

  test("a file that does not say what it is", () => {
    const files = new Map([["src/a/b.ts", "a();\n"]]);
    expect(complaintsAboutShape(files)[0]).toContain("does not open with a comment");
  });

  test("a name that says nothing", () => {
    expect(about("src/a/stringUtils.ts", "")[0]).toContain('"Utils" says nothing');
  });

  test("a folder with too many files, fakes and tests not counted", () => {
    const paths = Array.from({ length: 31 }, (_, index) => `src/a/file${index}`);
    const files = (ending: string): Files =>
      tree(Object.fromEntries(paths.map((path) => [`${path}${ending}`, ""])));
    expect(complaintsAboutFolders(files(".ts"))).toEqual(["src/a has 31 files, over 30"]);
    expect(complaintsAboutFolders(files(".test.ts"))).toEqual([]);
    expect(complaintsAboutFolders(files(".fake.ts"))).toEqual([]);
  });

  describe("long functions", () => {
    const body = linesOf(61, "    a();");
    const found = (text: string, long = {}): string[] =>
      complaintsAboutFunctions(tree({ "src/a/b.ts": text }), long);

    test("a function, a method, one whose parameters take several lines", () => {
      const complaint = ["src/a/b.ts:2 walk has 63 lines, over 60"];
      expect(found(`function walk(): void {\n${body}}\n`)).toEqual(complaint);
      const method = found(`class A {\n  async #walk(): Promise<void> {\n${body}  }\n}\n`);
      expect(method).toEqual(["src/a/b.ts:3 #walk has 63 lines, over 60"]);
      const wrapped = found(`export function walk(\n  a: A,\n): void {\n${linesOf(58)}}\n`);
      expect(wrapped).toEqual(["src/a/b.ts:2 walk has 62 lines, over 60"]);
    });

    test("calls and declarations are no functions", () => {
      expect(found(`interface A {\n  walk(): void;\n${body}}\n`)).toEqual([]);
      expect(found(`function a(): void {\n  walk(\n    b,\n  );\n}\n${body}`)).toEqual([]);
    });

    test("an exception holds as long as it is needed", () => {
      const long = { "src/a/b.ts walk": "a table" };
      expect(found(`function walk(): void {\n${body}}\n`, long)).toEqual([]);
      expect(found("", long)).toEqual(["src/a/b.ts walk is not long any more"]);
    });
  });
});

describe("bans", () => {
  const calls = (path: string, text: string): string[] =>
    complaintsAboutCalls(
      tree({ [path]: text }),
      BANS.map(({ except: _, ...ban }) => ban),
    );

  test.each([
    ["const a = Date.now();", "a Clock passed in"],
    ["const a = Math.random();", "a Random passed in"],
    ["setTimeout(a, 1);", "a Timer passed in"],
    ["const a = process.env.A;", "an option passed in"],
    ["process.exit(1);", "a value passed in"],
    ['console.log("a");', "a Log passed in"],
    ["const a = b as any;", "unknown"],
    ["class KeyManager {}", "a word of"],
    ["export default a;", "a named export"],
    ['export { a } from "./a.ts";', "an import of the file"],
  ])("%s", (text, instead) => {
    expect(calls("src/a/b.ts", `${text}\n`)[0]).toContain(`src/a/b.ts:2 use ${instead}`);
  });

  test("tests may read clocks, but not print", () => {
    expect(calls("src/a/b.test.ts", "Date.now();\n")).toEqual([]);
    expect(calls("src/a/b.test.ts", "console.log(1);\n")).toHaveLength(1);
  });

  test("comments and strings are no code", () => {
    expect(calls("src/a/b.ts", '// Date.now()\nconst a = "Date.now()";\n')).toEqual([]);
  });

  test("an exception that nobody needs", () => {
    const bans = [{ ...BANS[0]!, except: { "src/a/": "why" } }];
    expect(complaintsAboutCalls(tree({ "src/b/c.ts": "" }), bans)[0]).toContain("nobody needs");
  });

  test("a header named outside of the protocol", () => {
    const text = 'const NAME = "x-ms-version";\n';
    expect(complaintsAboutHeaders(tree({ "src/server/a.ts": text }))).toHaveLength(1);
    expect(complaintsAboutHeaders(tree({ "src/protocol/a.ts": text }))).toEqual([]);
  });
});

describe("imports", () => {
  const law: Law = {
    low: { values: [] },
    "high/room": { values: ["low"], types: ["high/other"] },
    "high/other": { values: ["low", "high/room"] },
  };
  const rules: ImportRules = {
    law,
    packages: { yaml: (path) => path === "src/low/a.ts" },
    doers: ["high"],
  };
  const about = (path: string, text: string): string[] =>
    complaintsAboutImports(tree({ [path]: `${text}\n` }), rules);

  test("down is allowed, up is not", () => {
    expect(about("src/high/room/a.ts", 'import { b } from "../../low/b.ts";')).toEqual([]);
    const up = about("src/low/a.ts", 'import { b } from "../high/room/b.ts";');
    expect(up).toEqual(["src/low/a.ts:2 low may not import values of high/room"]);
  });

  test("types may go where values may not, if the law says so", () => {
    const path = "src/high/room/a.ts";
    expect(about(path, 'import type { B } from "../other/b.ts";')).toEqual([]);
    expect(about(path, 'import { b } from "../other/b.ts";')).toHaveLength(1);
    expect(about("src/low/a.ts", 'import type { B } from "../high/other/b.ts";')).toHaveLength(1);
  });

  test("a folder of a room is part of it, a room without a row is none", () => {
    expect(about("src/high/room/deep/a.ts", 'import { b } from "../b.ts";')).toEqual([]);
    expect(about("src/new/a.ts", 'import { b } from "../low/b.ts";')[0]).toContain("no row");
  });

  test("a stand-in for tests in production code", () => {
    const text = 'import { b } from "./b.fake.ts";';
    expect(about("src/low/a.ts", text)[0]).toContain("stand-in");
    expect(about("src/low/a.test.ts", text)).toEqual([]);
    expect(about("src/low/a.fake.ts", text)).toEqual([]);
  });

  test("packages and modules of node have their places", () => {
    expect(about("src/low/a.ts", 'import { parse } from "yaml";')).toEqual([]);
    expect(about("src/low/b.ts", 'import { parse } from "yaml";')).toHaveLength(1);
    expect(about("src/low/a.ts", 'import { x } from "left-pad";')).toHaveLength(1);
    expect(about("src/low/a.ts", 'import { open } from "node:fs";')).toHaveLength(1);
    expect(about("src/high/room/a.ts", 'import { open } from "node:fs";')).toEqual([]);
  });

  test("a path without its ending", () => {
    expect(about("src/low/a.ts", 'import { b } from "./b";')[0]).toContain("with its ending");
  });

  test("a ring in the law, a row for nobody, an arrow that is not used", () => {
    const files = tree({
      "src/low/a.ts": "",
      "src/high/room/a.ts": 'import { b } from "../../low/b.ts";\n',
    });
    const found = (changed: Law): string[] => complaintsAboutLaw(files, changed);
    const needed: Law = { low: { values: [] }, "high/room": { values: ["low"] } };
    expect(found(needed)).toEqual([]);
    expect(found({ ...needed, low: { values: ["high/room"] } })[0]).toContain("each other");
    expect(found({ ...needed, other: { values: [] } })).toEqual([
      "other has a row in the law, and no file",
    ]);
    const idle = { ...needed, "high/room": { values: ["low", "json"], types: ["low"] } };
    expect(found(idle)).toEqual([
      "high/room may import json, and does not",
      "high/room may import types of low, and need not",
    ]);
  });
});

describe("rings", () => {
  test("files that import each other's values, through others, too", () => {
    const files = tree({
      "src/a/a.ts": 'import { b } from "./b.ts";\n',
      "src/a/b.ts": 'import { c } from "../c/c.ts";\n',
      "src/c/c.ts": 'import { a } from "../a/a.ts";\n',
      "src/c/d.ts": 'import { a } from "../a/a.ts";\n',
    });
    const ring = ["src/a/a.ts, src/a/b.ts, src/c/c.ts import each other"];
    expect(complaintsAboutCycles(files)).toEqual(ring);
  });

  test("types make no ring", () => {
    const files = tree({
      "src/a/a.ts": 'import { b } from "./b.ts";\n',
      "src/a/b.ts": 'import type { A } from "./a.ts";\n',
    });
    expect(complaintsAboutCycles(files)).toEqual([]);
  });
});

describe("names", () => {
  test("one type name in two files", () => {
    const files = tree({
      "src/a/a.ts": "export interface Place {}\n",
      "src/b/b.ts": "export type Place = number;\n",
      "src/b/b.test.ts": "export type Place = string;\n",
    });
    expect(complaintsAboutSameNames(files, {})).toEqual([
      "src/a/a.ts and src/b/b.ts both export the type Place",
    ]);
    expect(complaintsAboutSameNames(files, { Place: "why" })).toEqual([]);
    expect(complaintsAboutSameNames(files, { Place: "why", Other: "why" })).toEqual([
      "Other is exported once: its exception is not needed",
    ]);
  });

  test("an export that nobody imports", () => {
    const files = tree({
      "src/a/a.ts": "export const one = 1;\nexport const two = 2;\nexport type Three = 3;\n",
      "src/a/b.ts": 'import type { Three as T } from "./a.ts";\nimport { one } from "./a.ts";\n',
    });
    expect(complaintsAboutDeadExports(files, [])).toEqual([
      "src/a/a.ts:3 exports two, which nobody imports",
    ]);
    expect(complaintsAboutDeadExports(files, ["src/a/a.ts"])).toEqual([]);
  });
});

describe("places", () => {
  test("a folder of one machine, and a way out of the project", () => {
    const home = ["", "home", "me", "data"].join("/");
    const found = complaintsAboutPaths(
      tree({ "src/a/b.ts": `const A = "${home}";\n`, "test/a.ts": 'read("../../elsewhere/a");\n' }),
    );
    expect(found).toEqual([
      "src/a/b.ts:2 names a folder of one machine",
      "test/a.ts:2 leads out of the project",
    ]);
  });

  test("a file that nobody reaches, also a stand-in", () => {
    const files = tree({
      "src/a/main.ts": 'import { b } from "./b.ts";\n',
      "src/a/b.ts": "",
      "src/a/lost.ts": "",
      "src/a/idle.fake.ts": "",
      "src/a/used.fake.ts": "",
      "src/a/b.test.ts": 'import { a } from "./used.fake.ts";\n',
    });
    expect(complaintsAboutDeadFiles(files, ["src/a/main.ts"])).toEqual([
      "src/a/lost.ts is reached by no entry point and no test",
      "src/a/idle.fake.ts is reached by no entry point and no test",
    ]);
  });

  test("a test that waits without saying so, and one that says so and does not", () => {
    const files = tree({
      "test/a.test.ts": "await new Promise((resolve) => setTimeout(resolve, 5));\n",
      "test/b.test.ts": 'import { setTimeout as wait } from "node:timers/promises";\n',
      "test/c.test.ts": "",
    });
    expect(complaintsAboutWaiting(files, ["test/b.test.ts", "test/c.test.ts"])).toEqual([
      "test/a.test.ts waits: list it in test/realTime.ts, or pass it a simulated clock",
      "test/c.test.ts does not wait: take it off test/realTime.ts",
    ]);
  });
});
