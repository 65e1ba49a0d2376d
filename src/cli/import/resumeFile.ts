/**
 * What an import notes of how far each input went in (`notedFile.ts`). It names the container and
 * knows every input by its beginning and its length; going on with others is refused.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { readNoted, writeNoted } from "../terminal/notedFile.ts";

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
  return readNoted(file, stateIn);
}

export function writeResumeFile(file: string, { target, inputs }: ResumeState): void {
  writeNoted(file, { orreryImport: FORMAT, target, inputs });
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

function stateIn(value: JsonObject): ResumeState | undefined {
  if (property(value, "orreryImport") !== FORMAT) return undefined;
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
