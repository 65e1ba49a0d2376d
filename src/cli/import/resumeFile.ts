/**
 * A small file that says how far each input went in, so that another run can go on from there.
 *
 * It is written to a name beside it, synced and renamed: a reader finds the former state or the
 * next one, never half of one. It names the container and knows every input by its beginning and
 * its length; going on with others is refused.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";

export interface KnownInput {
  readonly name: string;
  readonly fingerprint: string;
  readonly doneBytes: number;
}

interface ResumeState {
  /** The server's address, the container's name and its rid. */
  readonly target: string;
  readonly inputs: readonly KnownInput[];
}

const FORMAT = 1;
/** From as many bytes at the beginning. */
const FINGERPRINT_BYTES: number = 1024 * 1024;

export function fingerprintOf(file: string): string {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(FINGERPRINT_BYTES);
    let filled = 0;
    while (filled < head.length) {
      const count = readSync(handle, head, filled, head.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    const digest = createHash("sha256").update(head.subarray(0, filled)).digest("hex");
    return `${statSync(file).size}-${digest.slice(0, 32)}`;
  } finally {
    closeSync(handle);
  }
}

/** Undefined when there is none yet. */
export function readResumeFile(file: string): ResumeState | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandFailure(`--resume cannot be read: ${(error as Error).message}.`);
  }
  const state = parseState(text);
  if (state !== undefined) return state;
  throw new CommandFailure(
    `'${file}' is no file that --resume has written; it was left as it is. Name another one.`,
  );
}

export function writeResumeFile(file: string, { target, inputs }: ResumeState): void {
  const text = `${JSON.stringify({ orreryImport: FORMAT, target, inputs }, null, 2)}\n`;
  const beside = `${file}.next`;
  try {
    const handle = openSync(beside, "w");
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(beside, file);
  } catch (error) {
    throw new CommandFailure(`--resume cannot be written: ${(error as Error).message}.`);
  }
}

/** How far each of these inputs is, in their order; throws when the file is about others. */
export function resumedFrom(
  file: string,
  state: ResumeState | undefined,
  now: Omit<ResumeState, "inputs"> & { readonly inputs: readonly Omit<KnownInput, "doneBytes">[] },
): readonly number[] {
  if (state === undefined) return now.inputs.map(() => 0);
  if (state.target !== now.target) {
    throw new CommandFailure(
      `'${file}' is about ${state.target}, not ${now.target}. Name another file with --resume.`,
    );
  }
  return now.inputs.map(({ name, fingerprint }) => {
    const known = state.inputs.find((input) => input.name === name);
    if (known === undefined || known.fingerprint === fingerprint) return known?.doneBytes ?? 0;
    throw new CommandFailure(
      `'${name}' has changed since '${file}' was written: where to go on is not known any more. ` +
        "Import it from its beginning with another --resume file, with --mode skip or upsert.",
    );
  });
}

function parseState(text: string): ResumeState | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(value) || property(value, "orreryImport") !== FORMAT) return undefined;
  const [target, list] = [property(value, "target"), property(value, "inputs")];
  if (typeof target !== "string" || !Array.isArray(list)) return undefined;
  const inputs = (list as readonly JsonValue[]).map(parseInput);
  return inputs.includes(undefined) ? undefined : { target, inputs: inputs as KnownInput[] };
}

function parseInput(value: JsonValue): KnownInput | undefined {
  if (!isObject(value)) return undefined;
  const name = property(value, "name");
  const fingerprint = property(value, "fingerprint");
  const doneBytes = property(value, "doneBytes");
  if (typeof name !== "string" || typeof fingerprint !== "string") return undefined;
  if (!Number.isSafeInteger(doneBytes) || Number(doneBytes) < 0) return undefined;
  return { name, fingerprint, doneBytes: Number(doneBytes) };
}
