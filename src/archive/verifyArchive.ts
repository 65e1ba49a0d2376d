/**
 * Whether an archive is what its manifest says: every file there, of its size, with its hash,
 * readable to the end, with as many lines and with the same contents.
 *
 * The same code looks at an archive before items are deleted, before items are restored, and from
 * the command line without a server. Nothing is changed here.
 */
import { counted, countText } from "../base/wording.ts";
import { LineSplitter } from "../itemFile/lines.ts";
import type { ArchiveFolder } from "./archiveFolder.ts";
import { MANIFEST_NAME, UnreadableFile } from "./archiveFolder.ts";
import { ContentSum } from "./contentSum.ts";
import type { ArchiveManifest, PartitionFile } from "./manifest.ts";
import { MANIFEST_BYTES_MAX, parseManifest } from "./manifest.ts";

/** What is wrong with one file. */
export interface FileDamage {
  readonly file: string;
  /** In one word, for programs. */
  readonly what: "missing" | "manifest" | "size" | "hash" | "unreadable" | "count" | "contents";
  /** A whole sentence that names the file and says what was found. */
  readonly message: string;
}

export const WHAT_TO_DO =
  "Put the file back from another copy of the archive, or archive the items again.";

type ReadManifest =
  | { readonly kind: "manifest"; readonly manifest: ArchiveManifest }
  | { readonly kind: "damaged"; readonly damage: FileDamage };

export async function readManifest(folder: ArchiveFolder): Promise<ReadManifest> {
  const damaged = (what: FileDamage["what"], found: string): ReadManifest => {
    const message = `${MANIFEST_NAME} in ${folder.place} ${found}`;
    return { kind: "damaged", damage: { file: MANIFEST_NAME, what, message } };
  };
  if ((await folder.names()) === undefined) {
    return damaged("missing", "is not there: there is no such folder.");
  }
  const text = await folder.readText(MANIFEST_NAME, MANIFEST_BYTES_MAX);
  if (text === undefined) {
    return damaged("missing", "is not there: the folder is no archive, or not a complete one.");
  }
  const parsed = parseManifest(text);
  if (parsed.ok) return { kind: "manifest", manifest: parsed.value };
  return damaged("manifest", parsed.error);
}

interface Looking {
  /** Called for every line, without its end. May reject to end the reading. */
  onLines?(lines: readonly Buffer[]): Promise<void>;
}

/** Reads a file whole. `undefined` when it is what the manifest says. */
export async function verifyFile(
  folder: ArchiveFolder,
  file: PartitionFile,
  looking: Looking = {},
): Promise<FileDamage | undefined> {
  const damaged = (what: FileDamage["what"], found: string): FileDamage => ({
    file: file.name,
    what,
    message: `${file.name} in ${folder.place} ${found}`,
  });
  const bytes = await folder.bytesOf(file.name);
  if (bytes === undefined) return damaged("missing", "is missing.");
  if (bytes !== file.storedBytes) {
    const has = `has ${counted(bytes, "byte")} instead of ${countText(file.storedBytes)}`;
    return damaged("size", `${has}: it was cut off or changed.`);
  }
  const seen = { itemCount: 0, rawBytes: 0, sum: new ContentSum() };
  const reading = await folder.read(file.name);
  try {
    const splitter = new LineSplitter();
    for await (const chunk of reading.chunks) {
      seen.rawBytes += chunk.length;
      const lines = splitter.push(chunk).map(({ bytes: line }) => line ?? EMPTY);
      await take(lines, seen, looking);
    }
    await take(
      splitter.end().map(({ bytes: line }) => line ?? EMPTY),
      seen,
      looking,
    );
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return damaged("unreadable", `cannot be decompressed: ${error.message}.`);
  }
  const { sha256 } = reading.stored();
  if (sha256 !== file.sha256) {
    return damaged("hash", `has the SHA-256 ${sha256} instead of ${file.sha256}.`);
  }
  if (seen.itemCount !== file.itemCount || seen.rawBytes !== file.rawBytes) {
    const has = `has ${counted(seen.itemCount, "item")} in ${counted(seen.rawBytes, "byte")}`;
    const should = `${countText(file.itemCount)} in ${countText(file.rawBytes)}`;
    return damaged("count", `${has} instead of ${should}.`);
  }
  return seen.sum.digits === file.sum
    ? undefined
    : damaged("contents", "has other contents than the manifest says.");
}

const EMPTY: Buffer = Buffer.alloc(0);

async function take(
  lines: readonly Buffer[],
  seen: { itemCount: number; sum: ContentSum },
  { onLines }: Looking,
): Promise<void> {
  if (lines.length === 0) return;
  seen.itemCount += lines.length;
  for (const line of lines) seen.sum.add(line);
  await onLines?.(lines);
}

/** What a look at a whole archive came to. */
interface ArchiveFindings {
  /** Absent if it cannot be read. */
  readonly manifest?: ArchiveManifest | undefined;
  readonly damages: readonly FileDamage[];
  /** Files that belong to no archive, or to none that is complete. */
  readonly strangers: readonly string[];
}

export async function verifyArchive(
  folder: ArchiveFolder,
  onFile: (file: PartitionFile, damage: FileDamage | undefined) => void,
): Promise<ArchiveFindings> {
  const read = await readManifest(folder);
  if (read.kind === "damaged") return { damages: [read.damage], strangers: [] };
  const { manifest } = read;
  const damages: FileDamage[] = [];
  for (const file of manifest.files) {
    const damage = await verifyFile(folder, file);
    if (damage !== undefined) damages.push(damage);
    onFile(file, damage);
  }
  const known = new Set([MANIFEST_NAME, ...manifest.files.map(({ name }) => name)]);
  const names = (await folder.names()) ?? [];
  return { manifest, damages, strangers: names.filter((name) => !known.has(name)) };
}
