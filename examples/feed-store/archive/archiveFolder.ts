/**
 * A folder of archive files: compressed lines of JSON, one item each, and a manifest for each file.
 *
 * A file is written once and never changed, and its name is taken by whoever creates it, so two who
 * archive at the same time write two files. A manifest is replaced as a whole. Both are on the disk
 * before anything goes on. Another place for archives, a storage account for one, would be a class
 * with these five methods.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline as pipelineOf, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createGzip } from "node:zlib";
import type { StoredFeedItem } from "../feedItem.ts";
import { ArchiveDamaged, type FileFacts, type Manifest, parseManifest } from "./manifest.ts";

/** An item as the server gave it, with the name of its version. */
export interface ArchivedItem extends StoredFeedItem {
  readonly _etag: string;
}

const MANIFEST_END = ".manifest.json";

export class ArchiveFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The oldest month first, and of a month the parts in their order. */
  async manifests(): Promise<readonly Manifest[]> {
    await mkdir(this.path, { recursive: true });
    const names = (await readdir(this.path)).filter((name) => name.endsWith(MANIFEST_END));
    const read = async (name: string): Promise<Manifest> =>
      parseManifest(name, await readFile(join(this.path, name), "utf8"));
    const manifests = await Promise.all(names.map(read));
    return manifests.sort((a, b) =>
      a.month < b.month ? -1 : a.month > b.month ? 1 : a.part - b.part,
    );
  }

  /** Undefined if there were no items; then there is no file either. */
  async write(
    month: string,
    items: AsyncIterable<ArchivedItem>,
  ): Promise<(FileFacts & { readonly part: number }) | undefined> {
    await mkdir(this.path, { recursive: true });
    const { handle, file, part } = await this.#newFile(month);
    const text = new Sum();
    const compressed = new Sum();
    let [itemCount, firstPublished, lastPublished] = [0, "", ""];
    async function* lines(): AsyncGenerator<string> {
      for await (const item of items) {
        const line = `${JSON.stringify(item)}\n`;
        const { publishedDate } = item;
        if (itemCount === 0 || publishedDate < firstPublished) firstPublished = publishedDate;
        if (publishedDate > lastPublished) lastPublished = publishedDate;
        itemCount += 1;
        text.add(Buffer.from(line));
        yield line;
      }
    }
    try {
      await pipeline(
        Readable.from(lines()),
        createGzip(),
        async (chunks: AsyncIterable<Buffer>) => {
          for await (const chunk of chunks) {
            compressed.add(chunk);
            await handle.appendFile(chunk);
          }
        },
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (itemCount === 0) {
      await rm(join(this.path, file));
      return undefined;
    }
    await this.#syncFolder();
    return {
      file,
      part,
      fileBytes: compressed.bytes,
      fileSha256: compressed.hex(),
      itemCount,
      textBytes: text.bytes,
      textSha256: text.hex(),
      firstPublished,
      lastPublished,
    };
  }

  /** Reads the whole file, and throws `ArchiveDamaged` unless it is what was written. */
  async verify(facts: FileFacts): Promise<void> {
    const seen = new Sum();
    const text = new Sum();
    let itemCount = 0;
    try {
      for await (const chunk of this.#texts(facts.file, seen)) {
        text.add(chunk);
        for (const byte of chunk) if (byte === LINE_END) itemCount += 1;
      }
    } catch (error) {
      throw new ArchiveDamaged(facts.file, (error as Error).message);
    }
    const differs = (what: string): never => {
      throw new ArchiveDamaged(facts.file, what);
    };
    if (seen.bytes !== facts.fileBytes) differs(`${seen.bytes} bytes, not ${facts.fileBytes}`);
    if (seen.hex() !== facts.fileSha256) differs("its hash is not that of its manifest");
    if (itemCount !== facts.itemCount) differs(`${itemCount} items, not ${facts.itemCount}`);
    if (text.hex() !== facts.textSha256) differs("its items are not those that were copied");
  }

  /** The items of a file that was verified. */
  async *items({ file }: FileFacts): AsyncGenerator<ArchivedItem> {
    let rest = "";
    // A character may be cut in two between chunks.
    const decoder = new StringDecoder("utf8");
    for await (const chunk of this.#texts(file, new Sum())) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as ArchivedItem;
    }
  }

  /** What a file holds; the bytes it is kept in are added to the sum. */
  #texts(file: string, sum: Sum): AsyncIterable<Buffer> {
    async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        sum.add(chunk);
        yield chunk;
      }
    }
    const source = createReadStream(join(this.path, file));
    // A failure of any of the three ends the last one with it, and so reaches whoever reads.
    return pipelineOf(source, counted, createGunzip(), () => {}) as AsyncIterable<Buffer>;
  }

  async save(manifest: Manifest): Promise<void> {
    const name = join(this.path, `${manifest.month}.${manifest.part}${MANIFEST_END}`);
    const handle = await open(`${name}.new`, "w");
    try {
      await handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${name}.new`, name);
    await this.#syncFolder();
  }

  /** Of the next part whose name nobody has. */
  async #newFile(
    month: string,
  ): Promise<{ readonly handle: FileHandle; readonly file: string; readonly part: number }> {
    for (let part = 1; ; part++) {
      const file = `${month}.${part}.ndjson.gz`;
      try {
        return { handle: await open(join(this.path, file), "wx", 0o600), file, part };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }

  /** A new name is on the disk only when its folder is. */
  async #syncFolder(): Promise<void> {
    // Windows cannot open a folder, and writes names through by itself.
    if (process.platform === "win32") return;
    const folder = await open(this.path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

const LINE_END = "\n".charCodeAt(0);

/** Length and hash of bytes that pass. */
class Sum {
  readonly #hash = createHash("sha256");
  bytes = 0;

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  hex(): string {
    return this.#hash.copy().digest("hex");
  }
}
