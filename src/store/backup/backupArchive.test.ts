/** The file of a backup: what was written comes back, and nothing else is taken for it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { ArchivedFile, Manifest } from "./backupArchive.ts";
import {
  ARCHIVE_FORMAT,
  ArchiveDamage,
  archiveBytesOf,
  PIECE_BYTES,
  readArchive,
  writeArchive,
} from "./backupArchive.ts";

const TABLES = "tables/data.mdb";
const SEGMENT = "journal/0000000007.journal";

describe("an archive", () => {
  test("gives back what was put in, in order", async () => {
    const files = filesOf([PIECE_BYTES + 100, 0, 28]);
    const archive = await written(files);
    expect(await unpacked(archive)).toEqual(textsOf(files));
  });

  test("is as long as it is said to be", async () => {
    for (const lengths of [[0], [1], [PIECE_BYTES], [PIECE_BYTES + 1, 5]]) {
      const files = filesOf(lengths);
      expect(archiveBytesOf(manifestOf(files))).toBe((await written(files)).length);
    }
  });

  test("names itself", async () => {
    const archive = await written(filesOf([10]));
    expect(archive.toString("latin1", 0, 8)).toBe("ORRERYB1");
    await expect(unpacked(Buffer.from("PK\x03\x04 something else"))).rejects.toThrow(/no backup/);
    await expect(unpacked(Buffer.alloc(0))).rejects.toThrow(/no backup/);
  });

  test("of a newer format is not guessed at", async () => {
    const archive = await joined(writeArchive({ ...manifestOf(new Map()), format: 2 }, nothing));
    await expect(unpacked(archive)).rejects.toThrow("format 2; this version reads 1");
  });

  test.each(["../../etc/passwd", "/etc/passwd", "tables/../lock", "account.key", ""])(
    "with a file %j is refused",
    async (name) => {
      const archive = await written(new Map([[name, Buffer.from("x")]]));
      await expect(unpacked(archive)).rejects.toThrow(/names files that no backup has/);
    },
  );

  test("tells where it is cut off", async () => {
    const archive = await written(filesOf([PIECE_BYTES, 40]));
    const short = archive.subarray(0, archive.length - 60);
    const place = `cut off at byte ${short.length}, where ${SEGMENT} at 0 should be`;
    await expect(unpacked(short)).rejects.toThrow(place);
  });

  test("whose pieces changed places is damaged, though each of them is whole", async () => {
    const archive = await written(filesOf([2 * PIECE_BYTES]));
    const frameBytes = PIECE_BYTES + 13;
    const end = archive.length - 45;
    const swapped = Buffer.concat([
      archive.subarray(0, end - 2 * frameBytes),
      archive.subarray(end - frameBytes, end),
      archive.subarray(end - 2 * frameBytes, end - frameBytes),
      archive.subarray(end),
    ]);
    await expect(unpacked(swapped)).rejects.toThrow(`where ${TABLES} at 0 should be`);
  });

  test("is written only if the files are as long as was said", async () => {
    const files = filesOf([100]);
    const manifest = { ...manifestOf(files), files: [{ name: TABLES, bytes: 101 }] };
    await expect(joined(writeArchive(manifest, opener(files)))).rejects.toThrow(/pieces|instead/);
  });
});

describe("whatever happens to an archive", () => {
  test("one byte that is another is found", async () => {
    const archive = await written(filesOf([300, 28]));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(archive.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const damaged = Buffer.from(archive);
          damaged[at]! ^= flip;
          await expect(unpacked(damaged)).rejects.toBeInstanceOf(ArchiveDamage);
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  test("a missing end is found, and so is one byte too many", async () => {
    const archive = await written(filesOf([300, 28]));
    for (let length = 0; length < archive.length; length += 7) {
      await expect(unpacked(archive.subarray(0, length))).rejects.toBeInstanceOf(ArchiveDamage);
    }
    await expect(unpacked(Buffer.concat([archive, Buffer.alloc(1)]))).rejects.toThrow(/follows/);
  });

  test("the pieces in which it arrives do not matter", async () => {
    const files = filesOf([PIECE_BYTES + 7, 500]);
    const texts = textsOf(files);
    const archive = await written(files);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (length) => {
        expect(await unpacked(archive, Math.max(length, 500))).toEqual(texts);
      }),
      { seed: 2, numRuns: 20 },
    );
  });
});

/** The first is the tables, the others segments. */
function filesOf(lengths: readonly number[]): Map<string, Buffer> {
  const random = seededRandom(lengths.length);
  return new Map(
    lengths.map((length, index) => [
      index === 0 ? TABLES : SEGMENT.replace("7", String(index + 6)),
      Buffer.from(random.bytes(length)),
    ]),
  );
}

function manifestOf(files: ReadonlyMap<string, Buffer>): Manifest {
  const listed = [...files].map(([name, bytes]) => ({ name, bytes: bytes.length }));
  return { format: ARCHIVE_FORMAT, version: "0.0.0", at: 1_778_854_200_000, files: listed };
}

function opener(files: ReadonlyMap<string, Buffer>) {
  return async function* open({ name }: ArchivedFile): AsyncGenerator<Buffer, void, undefined> {
    const bytes = files.get(name)!;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.subarray(at, at + PIECE_BYTES);
    }
  };
}

async function* nothing(): AsyncGenerator<Buffer, void, undefined> {}

function written(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  return joined(writeArchive(manifestOf(files), opener(files)));
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Texts are compared in no time, buffers byte by byte. */
function textsOf(files: ReadonlyMap<string, Buffer>): Map<string, string> {
  return new Map([...files].map(([name, bytes]) => [name, bytes.toString("latin1")]));
}

async function unpacked(archive: Buffer, chunkBytes = 4_096): Promise<Map<string, string>> {
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < archive.length; at += chunkBytes) {
      yield archive.subarray(at, at + chunkBytes);
    }
  }
  const files = new Map<string, Buffer>();
  for await (const piece of readArchive(chunks())) {
    if (piece.kind === "manifest") {
      for (const { name } of piece.manifest.files) files.set(name, Buffer.alloc(0));
    } else if (piece.kind === "data") {
      const held = files.get(piece.file.name)!;
      expect(piece.offset).toBe(held.length);
      files.set(piece.file.name, Buffer.concat([held, piece.bytes]));
    }
  }
  return textsOf(files);
}
