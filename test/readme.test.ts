/**
 * What the documents tell people to type. Every option that a document gives to `orrery` is one of
 * that command, every command and every option of `orrery start` is told of somewhere, and the
 * README is followed word by word: its short form here, all of it by `npm run campaign readme`.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { runCommand } from "../src/cli/command.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Commands that have commands of their own, each with a text of its own. */
const FAMILIES = ["lab", "lifecycle"];
const OPTION = /(?<![\w-])--[a-z][a-z0-9-]*/g;

let commands: readonly string[] = [];
/** Name of a command → the text that `orrery help` has for it. */
const helps = new Map<string, string>();

beforeAll(async () => {
  commands = namesIn(await printed(["help"]));
  for (const name of commands) helps.set(name, await printed(["help", name]));
  for (const family of FAMILIES) {
    for (const name of namesIn(helps.get(family)!)) {
      helps.set(`${family} ${name}`, await printed(["help", family, name]));
    }
  }
});

describe("options in documents", () => {
  test("are options of their commands", () => {
    const found = documents().flatMap(([path, text]) => wrongOptions(path, text));
    expect(found).toEqual([]);
  });

  test("in the README's table are options of `orrery start`", () => {
    const [, table = ""] = read("README.md").split("\n## Options\n");
    const [options = ""] = table.split("\n## ");
    const named = [...options.matchAll(/^\| (`--[^|]+)/gm)].flatMap(([row]) => optionsIn(row));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((option) => !knows("start", option))).toEqual([]);
  });

  test("are there for every option of `orrery start`, and for every command", () => {
    const told = documents().map(([, text]) => text);
    const options = optionsIn(helps.get("start")!).filter((option) => option !== "--help");
    const lost = [...options, ...commands.map((name) => `orrery ${name}`)].filter(
      (words) => !told.some((text) => new RegExp(`${words}(?![\\w-])`).test(asInstalled(text))),
    );
    expect(lost).toEqual([]);
  });

  test.each([
    ["a sentence", "`orrery start --memry`", "start --memry"],
    [
      "a block",
      "```sh\nnpm run -s orrery -- query x \\\n  --parm a=1   # a comment\n```\n",
      "query --parm",
    ],
    ["a command of a command", "`orrery lab advise --wrkload w.yaml`", "lab advise --wrkload"],
    ["a start by npm", "`npm start -- --opne`", "start --opne"],
    ["a command that is not there", "`orrery strt`", "strt"],
  ])("are looked at: %s", (_name, text, wrong) => {
    expect(wrongOptions("a.md", text)).toEqual([`a.md: orrery ${wrong}`]);
  });

  test("of other programs are not looked at", () => {
    const text = "`orrery start --memory | tee --append log`, `orrery <command> --help`, `orrery`";
    expect(wrongOptions("a.md", text)).toEqual([]);
  });
});

test("the README can be followed", () => {
  const args = [join(ROOT, "scripts", "followReadme.mjs"), "--short"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(`${stdout}${status === 0 ? "" : stderr}`).toMatch(/followed \d\d of \d\d steps\n$/);
}, 240_000);

function wrongOptions(path: string, text: string): string[] {
  const code = [...asInstalled(text).matchAll(/^```sh\n(.*?)^```$|`([^`\n]+)`/gms)];
  const lines = code.flatMap(([, block, inline = ""]) =>
    (block ?? inline).replaceAll("\\\n", " ").split("\n"),
  );
  return lines.flatMap((line) => {
    const said = /^(?:.*[\s(])?orrery(?: ([^|;&#>)]*))?/.exec(line)?.[1]?.trim() ?? "";
    const name = commandOf(said);
    if (name === undefined || said.includes("…")) return [];
    if (!helps.has(name)) return [`${path}: orrery ${name}`];
    const wrong = optionsIn(said).filter((option) => !knows(name, option));
    return wrong.map((option) => `${path}: orrery ${name} ${option}`);
  });
}

/** The command that a line is about, if it names one. */
function commandOf(said: string): string | undefined {
  const [first = "", second = ""] = said.split(/\s+/);
  if (first === "help" || first === "version" || !/^[a-z]+$/.test(first)) return undefined;
  const both = `${first} ${second}`;
  return FAMILIES.includes(first) && helps.has(both) ? both : first;
}

function knows(name: string, option: string): boolean {
  const listed = optionsIn(helps.get(name)!);
  const positive = option.replace(/^--no-/, "--");
  return [option, positive, positive.replace("--", "--no-")].some((form) => listed.includes(form));
}

/** As somebody types it who has the package installed. */
function asInstalled(text: string): string {
  return text
    .replaceAll(/npm run (-s )?orrery --/g, "orrery")
    .replaceAll(/npm start --(?= )/g, "orrery start");
}

function optionsIn(text: string): string[] {
  return [...text.matchAll(OPTION)].map(([option]) => option);
}

/** The names in the list of a text of help. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^ {2}([a-z]+) +\S/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help" && name !== "version");
}

async function printed(args: readonly string[]): Promise<string> {
  const texts: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    texts.push(String(text));
    return true;
  });
  try {
    await runCommand(args);
  } finally {
    write.mockRestore();
  }
  return texts.join("");
}

function documents(): (readonly [string, string])[] {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !path.includes("decisions"))
    .map((path) => join("docs", path));
  return ["README.md", ...pages].map((path) => [path, read(path)]);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
