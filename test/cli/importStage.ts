/**
 * A server, containers and the commands in front of them: `orrery import` and `orrery export` as
 * people and scripts run them, from `dist`, as processes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Container, ItemDefinition } from "@azure/cosmos";
import { ownPart } from "../sdk/stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Comes every few seconds, if it takes so long: a busy machine is no reason to fail. */
const PROGRESS = /^.*items\/s, [\d,.]+ RU.*\n/gm;

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  /** Without how far it was. */
  readonly errors: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** Nothing of this process's own surroundings decides what the command does. */
export function start(args: readonly string[]): Running {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH, HOME } });
  // A command that wants no input, or no more of it, closes its end.
  child.stdin.on("error", () => undefined);
  const texts = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const ended = texts.then(([output, told]) => {
    return { code: child.exitCode, output, errors: told.replaceAll(PROGRESS, "") };
  });
  return { child, ended };
}

export function orrery(args: readonly string[], input: string | Buffer = ""): Promise<Ran> {
  const { child, ended } = start(args);
  child.stdin!.end(input);
  return ended;
}

export type Item = Readonly<Record<string, unknown>>;

export function linesOf(items: readonly Item[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}

/** Writes a file into a folder, and names it. */
export function written(folder: string, name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What is in a container, without what the server adds, in the order of ids. */
export async function itemsIn(container: Container): Promise<readonly Item[]> {
  // An order would be merged by the client, who does not see the sign of a zero then.
  const { resources } = await container.items.readAll<ItemDefinition>().fetchAll();
  return byId(resources.map(ownPart));
}

export function byId(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1));
}

/** Asks again and again; the test's own time limit ends it. */
export async function eventually(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
