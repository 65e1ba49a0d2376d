/**
 * `npm run bench <name>` and `npm run campaign <name>`: a table of runs, one of which is chosen by
 * its name and started as a process of its own, with its environment and with the options of whoever
 * asked. Without a name, or with one that is not in the table, the table is printed.
 *
 * The exit code is that of the run, so that a shell or a CI job can rely on it.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * @typedef {object} Run
 * @property {string} about one line: what it does
 * @property {string} takes one or two words: how long on a machine with two cores
 * @property {readonly string[]} command file to run with node, from the root, and its arguments
 * @property {Readonly<Record<string, string>>} [environment] what is set unless the caller set it
 * @property {boolean} [isOfSources] runs on the sources: `dist` need not be built
 */

/**
 * @param {object} choice
 * @param {string} choice.usage what to type, for the first line of the list
 * @param {Readonly<Record<string, Run>>} choice.runs
 * @param {readonly string[]} choice.args a name, then options for the run
 * @returns {Promise<number>} the exit code
 */
export async function runByName({ usage, runs, args }) {
  const [name, ...options] = args;
  if (name === undefined || name === "--help") {
    process.stdout.write(listOf(usage, runs));
    return 0;
  }
  const chosen = Object.hasOwn(runs, name) ? runs[name] : undefined;
  if (chosen === undefined) {
    process.stderr.write(`There is no "${name}".\n\n${listOf(usage, runs)}`);
    return 2;
  }
  return runChosen(chosen, options);
}

/**
 * @param {Run} run
 * @param {readonly string[]} options
 * @returns {Promise<number>} the exit code
 */
export async function runChosen(run, options) {
  if (run.isOfSources !== true) {
    const built = await exitCodeOf(["scripts/build.mjs", "--if-needed"], {});
    if (built !== 0) return built;
  }
  return exitCodeOf([...run.command, ...options], run.environment ?? {});
}

/** @type {(usage: string, runs: Readonly<Record<string, Run>>) => string} */
export function listOf(usage, runs) {
  const width = Math.max(...Object.keys(runs).map((name) => name.length));
  const pause = Math.max(...Object.values(runs).map(({ takes }) => takes.length));
  const lines = Object.entries(runs).map(([name, { about, takes }]) => {
    return `  ${name.padEnd(width)}  ${takes.padEnd(pause)}  ${about}\n`;
  });
  return `Usage: ${usage}\n\n${lines.join("")}`;
}

/**
 * Starts node and waits. A signal that ends this process ends the run as well.
 * @param {readonly string[]} command
 * @param {Readonly<Record<string, string>>} environment
 * @returns {Promise<number>} 128 and the number of the signal when one ended the run
 */
function exitCodeOf([file = "", ...args], environment) {
  const child = spawn(process.execPath, [resolvePath(ROOT, file), ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...environment, ...process.env },
  });
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => child.kill(signal);
  /** @type {readonly NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      for (const one of signals) process.off(one, pass);
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
