/**
 * The files that an archive has so far, noted in its folder while it is written. The first line
 * names the archive, so a folder that belongs to something else is recognised; then there is a line
 * for the files of each EPK, which are whole and durable.
 *
 * The end of the ledger may be lost in a crash, and whoever goes on with the archive writes the
 * files again that it named. It goes when there is a manifest.
 */
import type { ArchiveFolder } from "../../archive/archiveFolder.ts";
import { isDataName, LEDGER_NAME, MANIFEST_NAME, TEMPORARY } from "../../archive/archiveFolder.ts";
import type { PartitionFile } from "../../archive/manifest.ts";
import { MANIFEST_BYTES_MAX, parseManifest } from "../../archive/manifest.ts";

/** What was found in the folder of an archive that is to be written. */
type Opened =
  | { readonly kind: "ledger"; readonly ledger: FileLedger }
  /** There is a manifest already: a crash came before anybody could note that. */
  | { readonly kind: "sealed" }
  | { readonly kind: "occupied" };

export class FileLedger {
  readonly #folder: ArchiveFolder;
  readonly #files: PartitionFile[] = [];
  readonly #byEpk = new Map<string, readonly PartitionFile[]>();
  /** Of the next file; none is given twice. */
  nextNumber = 1;

  private constructor(folder: ArchiveFolder, files: readonly PartitionFile[]) {
    this.#folder = folder;
    this.#remember(files);
  }

  /** Makes the folder, or goes on in it if the archive has begun there. */
  static async open(folder: ArchiveFolder, archive: string): Promise<Opened> {
    const names = (await folder.names()) ?? [];
    if (names.includes(MANIFEST_NAME)) {
      const text = (await folder.readText(MANIFEST_NAME, MANIFEST_BYTES_MAX)) ?? "";
      const manifest = parseManifest(text);
      const isOurs = manifest.ok && manifest.value.archive === archive;
      return { kind: isOurs ? "sealed" : "occupied" };
    }
    const text = await folder.readText(LEDGER_NAME, MANIFEST_BYTES_MAX);
    const [head, ...lines] = (text ?? "").split("\n");
    const isOurs = head === headOf(archive);
    // A crash may have come before the first line, and left nothing but its temporary file.
    const isEmpty = names.every((name) => name === LEDGER_NAME + TEMPORARY);
    if (!isOurs && !isEmpty) return { kind: "occupied" };
    await folder.make();
    for (const name of names) if (name.endsWith(TEMPORARY)) await folder.remove(name);
    const families = isOurs ? await present(folder, familiesIn(lines)) : [];
    const whole = [headOf(archive), ...families.map((files) => JSON.stringify(files))];
    await folder.writeText(LEDGER_NAME, `${whole.join("\n")}\n`);
    return { kind: "ledger", ledger: new FileLedger(folder, families.flat()) };
  }

  get files(): readonly PartitionFile[] {
    return this.#files;
  }

  /** Of those with an EPK; empty if there are none. */
  filesOf(epk: string): readonly PartitionFile[] {
    return this.#byEpk.get(epk) ?? [];
  }

  /** Notes files that are whole, all those with one EPK. */
  async add(files: readonly PartitionFile[]): Promise<void> {
    await this.#folder.appendText(LEDGER_NAME, `${JSON.stringify(files)}\n`);
    this.#remember(files);
  }

  #remember(files: readonly PartitionFile[]): void {
    for (const file of files) {
      const { epkMin, name } = file;
      this.#files.push(file);
      this.#byEpk.set(epkMin, [...this.filesOf(epkMin), file]);
      this.nextNumber = Math.max(this.nextNumber, Number(name.replace(/\D/g, "")) + 1);
    }
  }

  /** Removes data files that are in no line: a crash came before their line. */
  async removeOthers(): Promise<void> {
    const known = new Set(this.#files.map(({ name }) => name));
    for (const name of (await this.#folder.names()) ?? []) {
      if (isDataName(name) && !known.has(name)) await this.#folder.remove(name);
    }
  }
}

function headOf(archive: string): string {
  return JSON.stringify({ archive });
}

/** As far as they can be read. */
function familiesIn(lines: readonly string[]): readonly (readonly PartitionFile[])[] {
  const families: (readonly PartitionFile[])[] = [];
  for (const line of lines) {
    try {
      families.push(JSON.parse(line) as readonly PartitionFile[]);
    } catch {
      break;
    }
  }
  return families;
}

/** Those whose files are all there: each is read back before anything is deleted. */
async function present(
  folder: ArchiveFolder,
  families: readonly (readonly PartitionFile[])[],
): Promise<readonly (readonly PartitionFile[])[]> {
  const found: (readonly PartitionFile[])[] = [];
  for (const files of families) {
    let isThere = true;
    for (const { name, storedBytes } of files) {
      if ((await folder.bytesOf(name)) !== storedBytes) isThere = false;
    }
    if (isThere) found.push(files);
  }
  return found;
}

/** True of files that an archive has, or has while it is written. */
function isOwn(name: string): boolean {
  const whole = name.endsWith(TEMPORARY) ? name.slice(0, -TEMPORARY.length) : name;
  return whole === MANIFEST_NAME || whole === LEDGER_NAME || isDataName(whole);
}

/** Takes away what is of no use when there is a manifest: a crash may have come before that. */
export async function removeLedger(folder: ArchiveFolder): Promise<void> {
  for (const name of (await folder.names()) ?? []) {
    if (name === LEDGER_NAME || (isOwn(name) && name.endsWith(TEMPORARY))) {
      await folder.remove(name);
    }
  }
}

/**
 * Takes away everything that a job has put into a folder, and the folder if it is empty then. What
 * belongs to another archive is left alone, and false is returned. `isSealed`: the job has put its
 * manifest there, so what names no archive is its own all the same.
 */
export async function removeArchive(
  folder: ArchiveFolder,
  archive: string,
  isSealed: boolean,
): Promise<boolean> {
  const names = (await folder.names()) ?? [];
  const owner = await ownerOf(folder);
  const isEmpty = names.every((name) => name === LEDGER_NAME + TEMPORARY);
  if (owner === undefined ? !isSealed && !isEmpty : owner !== archive) return false;
  // The manifest goes first: what has none is no archive. The ledger last: it says whose it is.
  const order = (name: string): number =>
    name === MANIFEST_NAME ? 0 : name === LEDGER_NAME ? 2 : 1;
  for (const name of names.filter(isOwn).sort((a, b) => order(a) - order(b))) {
    await folder.remove(name);
  }
  await folder.removeFolder();
  return true;
}

/** The id of the archive that the files of a folder belong to, if one of them names it. */
async function ownerOf(folder: ArchiveFolder): Promise<string | undefined> {
  const text = await folder.readText(MANIFEST_NAME, MANIFEST_BYTES_MAX);
  const manifest = text === undefined ? undefined : parseManifest(text);
  if (manifest?.ok === true) return manifest.value.archive;
  const [head = ""] = ((await folder.readText(LEDGER_NAME, MANIFEST_BYTES_MAX)) ?? "").split("\n");
  return /^\{"archive":"([0-9a-f]+)"\}$/.exec(head)?.[1];
}
