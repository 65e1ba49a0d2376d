/**
 * Where an export goes: standard output, or a file that appears under its name only when it is
 * complete. Until then it lies beside it, and goes away if the export fails. Bytes are compressed
 * on the way if that was asked for, and a slow reader is waited for.
 */
import { once } from "node:events";
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CommandFailure } from "../terminal/failure.ts";

export interface Output {
  write(text: string): Promise<void>;
  /** Everything was written: the file gets its name. */
  complete(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): void;
}

export function openOutput(options: {
  readonly out: string | undefined;
  readonly isForced: boolean;
  readonly isZipped: boolean;
}): Output {
  const { out, isForced, isZipped } = options;
  if (out === undefined) return outputTo(process.stdout, isZipped, () => undefined);
  refuseExisting(out, isForced);
  const beside = `${out}.part-${process.pid}`;
  const file = createWriteStream(beside, { flags: "wx" });
  const output = outputTo(file, isZipped, () => rmSync(beside, { force: true }));
  return {
    ...output,
    async complete() {
      await output.complete();
      refuseExisting(out, isForced);
      renameSync(beside, out);
    },
  };
}

function refuseExisting(out: string, isForced: boolean): void {
  if (isForced || !existsSync(out)) return;
  throw new CommandFailure(`'${out}' is there already. --force replaces it.`);
}

function outputTo(stream: Writable, isZipped: boolean, remove: () => void): Output {
  const gzip = isZipped ? createGzip() : undefined;
  gzip?.pipe(stream, { end: stream !== process.stdout });
  const first: Writable = gzip ?? stream;
  let failure: Error | undefined;
  stream.on("error", (error) => {
    failure = error;
    first.destroy();
  });
  gzip?.on("error", () => undefined);
  const check = (): void => {
    if (failure === undefined) return;
    throw new CommandFailure(`The export cannot be written: ${failure.message}.`);
  };
  return {
    async write(text) {
      check();
      if (text === "" || first.write(text)) return;
      await Promise.race([once(first, "drain"), once(first, "close")]).catch(() => undefined);
      check();
    },
    async complete() {
      check();
      try {
        await ended(first, stream);
      } catch {
        check();
      }
      check();
    },
    discard() {
      if (stream !== process.stdout) stream.destroy();
      remove();
    },
  };
}

/** Standard output is never closed; what was given to it has to be out. */
async function ended(first: Writable, stream: Writable): Promise<void> {
  if (first !== process.stdout) {
    first.end();
    await finished(first);
  }
  if (stream !== process.stdout) await finished(stream);
  else await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
}
