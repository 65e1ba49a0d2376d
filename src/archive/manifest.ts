/**
 * The manifest of an archive: what is in it, from where, and how to tell that it is whole. It is
 * written last, so an archive with a manifest is complete.
 *
 * A manifest carries a checksum of itself, over its members in canonical form: other spaces and
 * another order of members are the same manifest, another value is not. Not here: whether the
 * files are what the manifest says (`verifyArchive.ts`).
 */
import { createHash } from "node:crypto";
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import { canonicalText } from "../json/canonical.ts";
import {
  listOf,
  member,
  objectOf,
  optional,
  ReadingProblem,
  refuse,
  textOf,
  wholeNumberOf,
} from "../json/reading.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isDataName } from "./archiveFolder.ts";
import { ContentSum } from "./contentSum.ts";

const FORMAT = 1;
export const MANIFEST_BYTES_MAX: number = 64 * 1024 * 1024;

/** One file: the items of one logical partition, a line each. */
export interface PartitionFile {
  readonly name: string;
  readonly itemCount: number;
  /** Of the lines, their ends included. */
  readonly rawBytes: number;
  /** Of the file. */
  readonly storedBytes: number;
  /** Of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** See `contentSum.ts`. */
  readonly sum: string;
  /** The partition key; a component that is missing is an empty object. */
  readonly key: JsonValue;
  readonly epkMin: string;
  /** Not included. */
  readonly epkMax: string;
  readonly idMin: string;
  readonly idMax: string;
  /** Of the age property, as ISO 8601; absent if there was none, or no item had a date. */
  readonly dateMin?: string | undefined;
  readonly dateMax?: string | undefined;
}

interface ArchiveTotals {
  readonly fileCount: number;
  readonly itemCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly sum: string;
}

/** The LSN up to which the log of some keys had come when the archive was begun. */
export interface ArchivePosition {
  readonly min: string;
  readonly max: string;
  readonly lsn: number;
}

/** Everything but what follows from the rest. */
interface ManifestDraft {
  readonly archive: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly database: string;
  readonly container: string;
  readonly databaseRid: string;
  readonly containerRid: string;
  /** Of the container, as clients read it: key with its version, indexing policy, unique keys. */
  readonly definition: JsonObject;
  readonly position: readonly ArchivePosition[];
  readonly ageProperty?: string | undefined;
  /** ISO 8601: every item is older by its age property. Absent if keys were named. */
  readonly before?: string | undefined;
  readonly files: readonly PartitionFile[];
}

export interface ArchiveManifest extends ManifestDraft {
  readonly format: typeof FORMAT;
  readonly totals: ArchiveTotals;
  readonly checksum: string;
}

function totalsOf(files: readonly PartitionFile[]): ArchiveTotals {
  const sum = new ContentSum();
  for (const file of files) sum.addSum(file.sum);
  const total = (figureOf: (file: PartitionFile) => number): number =>
    files.reduce((all, file) => all + figureOf(file), 0);
  return {
    fileCount: files.length,
    itemCount: total(({ itemCount }) => itemCount),
    rawBytes: total(({ rawBytes }) => rawBytes),
    storedBytes: total(({ storedBytes }) => storedBytes),
    sum: sum.digits,
  };
}

export function manifestOf(draft: ManifestDraft): ArchiveManifest {
  const manifest = { format: FORMAT, ...draft, totals: totalsOf(draft.files) } as const;
  // As JSON, so that members without a value are not there.
  const plain = JSON.parse(JSON.stringify(manifest)) as JsonObject;
  return { ...manifest, checksum: checksumOf(plain) };
}

export function encodeManifest(manifest: ArchiveManifest): string {
  return `${JSON.stringify(manifest, undefined, 1)}\n`;
}

function checksumOf({ checksum: _, ...members }: JsonObject): string {
  return createHash("sha256").update(canonicalText(members)).digest("hex");
}

/** What is wrong is said so that it can follow "The manifest". */
export function parseManifest(text: string): Result<ArchiveManifest, string> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return no("is no JSON: it was cut off or changed.");
  }
  try {
    const body = objectOf(value, "It");
    const format = member(body, "format");
    if (format !== FORMAT) {
      const shown = JSON.stringify(format) ?? "none";
      return no(`has the format ${shown}; this version reads format ${FORMAT}.`);
    }
    if (member(body, "checksum") !== checksumOf(body)) {
      return no("does not fit its own checksum: it was changed after it was written.");
    }
    return ok(read(body));
  } catch (problem) {
    if (problem instanceof ReadingProblem) return no(`is not right: ${problem.message}`);
    throw problem;
  }
}

function read(body: JsonObject): ArchiveManifest {
  const text = (name: string): string => textOf(member(body, name), `The member '${name}'`);
  const files = listOf(member(body, "files"), "The member 'files'", FILES_MAX).map(readFile);
  const totals = objectOf(member(body, "totals"), "The member 'totals'");
  const counted = totalsOf(files);
  if (canonicalText(totals) !== canonicalText({ ...counted })) {
    refuse("its totals are not those of its files.");
  }
  return {
    format: FORMAT,
    archive: text("archive"),
    madeAt: text("madeAt"),
    database: text("database"),
    container: text("container"),
    databaseRid: text("databaseRid"),
    containerRid: text("containerRid"),
    definition: objectOf(member(body, "definition"), "The member 'definition'"),
    position: listOf(member(body, "position"), "The member 'position'", FILES_MAX).map(
      readPosition,
    ),
    ...optional("ageProperty", optionalText(body, "ageProperty")),
    ...optional("before", optionalText(body, "before")),
    files,
    totals: counted,
    checksum: text("checksum"),
  };
}

const FILES_MAX = 1_000_000;
const SHA256 = /^[0-9a-f]{64}$/;
const SUM = /^[0-9a-f]{32}$/;

function readFile(value: JsonValue): PartitionFile {
  const body = objectOf(value, "A file");
  const text = (name: string): string => textOf(member(body, name), `'${name}' of a file`);
  const count = (name: string): number => wholeNumberOf(member(body, name), `'${name}' of a file`);
  const name = text("name");
  // A name is joined to the path of the folder, so it has to be one of ours.
  if (!isDataName(name)) refuse(`a file is called '${name}', which is no name of a data file.`);
  const [sha256, sum] = [text("sha256"), text("sum")];
  if (!SHA256.test(sha256) || !SUM.test(sum)) refuse(`the hashes of ${name} are none.`);
  const key = listOf(member(body, "key"), "'key' of a file");
  return {
    name,
    itemCount: count("itemCount"),
    rawBytes: count("rawBytes"),
    storedBytes: count("storedBytes"),
    sha256,
    sum,
    key: [...key],
    epkMin: text("epkMin"),
    epkMax: text("epkMax"),
    idMin: text("idMin"),
    idMax: text("idMax"),
    ...optional("dateMin", optionalText(body, "dateMin")),
    ...optional("dateMax", optionalText(body, "dateMax")),
  };
}

function readPosition(value: JsonValue): ArchivePosition {
  const body = objectOf(value, "A position");
  const text = (name: string): string => textOf(member(body, name), `'${name}' of a position`);
  const lsn = wholeNumberOf(member(body, "lsn"), "'lsn' of a position");
  return { min: text("min"), max: text("max"), lsn };
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = member(body, name);
  return value === undefined ? undefined : textOf(value, `The member '${name}'`);
}
