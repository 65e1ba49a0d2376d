/**
 * The table of commands: that every text of help says what its command takes, what is said of
 * words and options that nobody knows, and that bash completes what there is.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runCommand } from "./command.ts";
import { COMMANDS, type CommandEntry } from "./commandTable.ts";
import { helpOptions } from "./terminal/helpOptions.ts";

/** What the last command that was run takes. */
const taken = vi.hoisted(() => ({ options: {} as Record<string, unknown> }));

vi.mock("node:util", async (original) => {
  const known = await original<typeof import("node:util")>();
  const parseArgs = (config: ParseArgsConfig): unknown => {
    taken.options = config.options ?? {};
    return known.parseArgs(config);
  };
  return { ...known, default: { ...known, parseArgs }, parseArgs };
});

const ALL: readonly (readonly [string, CommandEntry])[] = COMMANDS.flatMap((entry) =>
  entry.kind === "command"
    ? [[entry.name, entry] as const]
    : entry.commands.map((command) => [`${entry.name} ${command.name}`, command] as const),
);

const EMULATOR_ONLY = /^--(explorer-p|enable-|gateway-|init-path$|query-buffer-|verbose$)/;

/** What a command takes and its help does not list, each for its reason. */
function isUnlisted(name: string, option: string): boolean {
  // Arguments of the emulator's images are named by a sentence, and listed in a document.
  if (name === "start") return EMULATOR_ONLY.test(option);
  // One set for all steps; those that a step does not have are refused with a better word.
  if (/^lifecycle (pause|resume|run|change|stop)$/.test(name)) return option !== "--json";
  // How `check` calls itself, in a process of its own.
  return option === "--help" || (name === "check" && option === "--inside");
}

interface Ran {
  readonly output: string;
  readonly errors: string;
  readonly code: unknown;
}

async function ran(...words: readonly string[]): Promise<Ran> {
  const [output, errors]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0),
  ];
  const before = process.exitCode;
  try {
    await runCommand(words);
    return { output: output.join(""), errors: errors.join(""), code: process.exitCode };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

describe("the help", () => {
  test.each(ALL)("of %s lists what it takes, and nothing else", async (name, command) => {
    const { help } = await command.load();
    expect((await ran(...name.split(" "), "--help")).output).toBe(help);
    const takes = Object.keys(taken.options).map((option) => `--${option}`);
    const listed = helpOptions(help).map((option) => option.name);
    const unknown = listed.filter((option) => !takes.includes(option.replace(/^--no-/, "--")));
    expect(unknown).toEqual([]);
    const mentioned = new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]*/g));
    const told = (option: string): boolean =>
      mentioned.has(option) || mentioned.has(option.replace("--", "--no-"));
    const own = takes.filter((option) => !isUnlisted(name, option));
    expect(own.filter((option) => !told(option))).toEqual([]);
  });

  test("has a value where the command takes one", async () => {
    const wrong: string[] = [];
    for (const [name, command] of ALL) {
      const { help } = await command.load();
      await ran(...name.split(" "), "--help");
      for (const option of helpOptions(help)) {
        const type = (taken.options[option.name.replace(/^--(no-)?/, "")] as { type?: string })
          ?.type;
        const isText = type === "string";
        if (isText !== (option.value !== undefined)) wrong.push(`${name} ${option.name}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("what nobody knows", () => {
  test.each([
    [["strt"], "There is no command 'strt'. Did you mean 'start'?"],
    [["lab", "advize"], "There is no command 'lab advize'. Did you mean 'lab advise'?"],
    [["zzzzzz"], "There is no command 'zzzzzz'. `orrery help` lists what there is."],
    [
      ["lifecycle", "zzzzzz"],
      "There is no command 'lifecycle zzzzzz'. There are plan, start, status, pause, resume, run, " +
        "change, stop, advise, archive, restore.",
    ],
    [
      ["export", "--formt", "csv"],
      "There is no option '--formt'. Did you mean '--format'? `orrery help export` lists those of " +
        "'export'.",
    ],
    [
      ["--memry"],
      "There is no option '--memry'. Did you mean '--memory'? `orrery help start` lists those of " +
        "'start'.",
    ],
    [
      ["lab", "check", "--qwertz"],
      "There is no option '--qwertz'. `orrery help lab check` lists those of 'lab check'.",
    ],
  ])("%j is told in one line", async (words, said) => {
    expect(await ran(...words)).toEqual({ output: "", errors: `orrery: ${said}\n`, code: 2 });
  });

  test("what Node says of arguments is one line", async () => {
    const { errors, code } = await ran("query", "SELECT 1", "--container");
    expect([errors.split("\n").length, code]).toEqual([2, 2]);
  });
});

describe("completion in bash", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orrery-completion-"));
    writeFileSync(join(folder, "orrery.bash"), (await ran("completion", "bash")).output);
    writeFileSync(join(folder, "some items.ndjson"), "");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What bash offers after these words, the last of which is being typed. */
  function offered(...words: readonly string[]): readonly string[] {
    const text = `source ./orrery.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orrery
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--noprofile", "--norc", "-c", text, "bash", "orrery", ...words];
    const { status, stdout, stderr } = spawnSync("bash", args, { cwd: folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout.split("\n").filter((word) => word !== "");
  }

  test("offers commands, those of a family, words and options", () => {
    expect(offered("")).toEqual([...COMMANDS.map(({ name }) => name), "help", "version"]);
    expect(offered("par")).toEqual(["partitions"]);
    expect(offered("lab", "w")).toEqual(["workload"]);
    expect(offered("lab", "workload", "n")).toEqual(["new"]);
    expect(offered("keys", "reg")).toEqual(["regenerate"]);
    expect(offered("export", "--for")).toEqual(["--force", "--format"]);
    expect(offered("export", "shop/orders", "--o")).toEqual(["--out"]);
    expect(offered("lab", "advise", "--mig")).toEqual(["--migrate"]);
    expect(offered("help", "exp")).toEqual(["export"]);
  });

  test("offers files where a file is wanted, and nothing where something else is", () => {
    expect(offered("put", "shop/orders", "some")).toEqual(["some items.ndjson"]);
    expect(offered("export", "--out", "some")).toEqual(["some items.ndjson"]);
    expect(offered("start", "--port", "")).toEqual([]);
  });

  test("of other shells names every command", async () => {
    const fish = (await ran("completion", "fish")).output;
    const zsh = (await ran("completion", "zsh")).output;
    for (const [name] of ALL) {
      expect(zsh).toContain(`"${name}") words=`);
      const [first, second] = name.split(" ");
      expect(fish).toContain(second === undefined ? `-a ${first} ` : `from ${first}`);
    }
    expect((await ran("completion", "tcsh")).code).toBe(2);
  });
});
