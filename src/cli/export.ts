/**
 * `orrery export`: writes the items of a container of a running server, or the rows of a query, to
 * standard output or a file. How far it is goes to standard error.
 */
import { shortBytesText } from "../base/wording.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { itemWriter } from "./export/itemWriter.ts";
import { EXPORT_HELP, type ExportOptions, exportOptionsOf } from "./export/options.ts";
import { type Output, openOutput } from "./export/outFile.ts";
import { pagesOf } from "./export/pages.ts";
import { numberText } from "./terminal/liveTable.ts";
import { ProgressTicker } from "./terminal/progressTicker.ts";

const INTERRUPTED_CODE = 130;

export async function runExport(args: string[], environment: Environment): Promise<void> {
  const options = exportOptionsOf(args, environment);
  if (options === undefined) {
    process.stdout.write(EXPORT_HELP);
    return;
  }
  const output = openOutput(options);
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  // A second one ends the program.
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    await writeAll(options, output, environment, () => isInterrupted);
  } catch (error) {
    output.discard();
    throw error;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

async function writeAll(
  options: ExportOptions,
  output: Output,
  environment: Environment,
  isInterrupted: () => boolean,
): Promise<void> {
  const told = { items: 0, bytes: 0, ru: 0, startedAt: realClock.now() };
  const text = (): string => {
    const seconds = (realClock.now() - told.startedAt) / 1000;
    const rate = seconds > 0 ? told.items / seconds : 0;
    return (
      `${numberText(told.items)} items, ${shortBytesText(told.bytes)}, ${told.ru.toFixed(2)} RU, ` +
      `${seconds.toFixed(1)} s, ${numberText(rate)} items/s`
    );
  };
  const ticker = new ProgressTicker(environment, text);
  const writer = itemWriter(options, output);
  ticker.start();
  try {
    for await (const page of pagesOf(options)) {
      await writer.page(page);
      told.items += page.rows.length;
      told.bytes += page.bytes;
      told.ru += page.ru;
      if (isInterrupted()) break;
    }
    if (!isInterrupted()) await writer.end();
  } finally {
    ticker.stop();
    writer.close();
  }
  if (isInterrupted()) {
    process.exitCode = INTERRUPTED_CODE;
    output.discard();
    const left = options.out === undefined ? "" : `; '${options.out}' was not written`;
    process.stderr.write(`Interrupted after ${text()}${left}.\n`);
    return;
  }
  await output.complete();
  process.stderr.write(`${text()}\n`);
  if (options.out !== undefined) process.stderr.write(`written: ${options.out}\n`);
}
