/**
 * A disk as a row of system calls has left it: what is durable, and what was written and may or may
 * not have reached it. `afterCut` decides the latter by chance and gives what a machine finds that
 * lost its power there.
 *
 * It promises no more than POSIX does. A write is durable when a sync of its file that began after
 * it has returned, or when it came through a descriptor that syncs each write. A name is durable
 * when a sync of its directory has. Of everything else any part may be there, in sectors of 512
 * bytes, whatever came later; a file may have grown without its content.
 */
import { dirname } from "node:path";
import { assert } from "../../src/base/assert.ts";
import type { Random } from "../../src/base/world.ts";
import type { CallEvent, SystemCall } from "./systemCalls.ts";

const SECTOR_BYTES = 512;

/** What is found: a file by its path, its bytes; a directory, undefined. */
export type FoundDisk = ReadonlyMap<string, Buffer | undefined>;

interface PendingWrite {
  readonly offset: number;
  bytes: Buffer;
  isOver: boolean;
}

interface TracedFile {
  readonly kind: "file";
  durable: Buffer;
  pending: readonly PendingWrite[];
  /** By a truncation, not by a write: content that nobody wrote is zeros. */
  length: number;
}

interface TracedFolder {
  readonly kind: "folder";
}

type Node = TracedFile | TracedFolder;

/** One step for the disk: a rename is never found half, nor is that of a directory. */
interface NameChange {
  readonly names: readonly (readonly [string, Node | undefined])[];
  /** The directories by whose sync it is durable. */
  readonly folders: readonly string[];
}

interface Descriptor {
  readonly path: string;
  readonly isSynchronous: boolean;
  position: number;
}

/** What a call that is under way has begun. */
type Begun =
  | { readonly kind: "write"; readonly file: TracedFile; readonly write: PendingWrite }
  | { readonly kind: "sync"; readonly writes: readonly PendingWrite[] };

export class TracedDisk {
  readonly #root: string;
  /** Files whose content means nothing after a power cut, and which are mapped to be written. */
  readonly #isVolatile: (path: string) => boolean;
  readonly #durable = new Map<string, Node>();
  readonly #names = new Map<string, Node>();
  #changes: readonly NameChange[] = [];
  readonly #descriptors = new Map<number, Descriptor>();
  readonly #begun = new Map<number, Begun>();

  /** What is under `root`, an empty directory to begin with, and nothing else. */
  constructor(root: string, isVolatile: (path: string) => boolean) {
    this.#root = root;
    this.#isVolatile = isVolatile;
  }

  apply({ thread, phase, call, result }: CallEvent): void {
    if (phase === "start") this.#begin(thread, call);
    else if (result >= 0) this.#end(thread, call, result);
    else this.#begun.delete(thread);
  }

  /** Bytes that were written and are not durable. */
  get pendingBytes(): number {
    let bytes = 0;
    for (const node of new Set(this.#names.values())) {
      if (node.kind === "file") for (const write of node.pending) bytes += write.bytes.length;
    }
    return bytes;
  }

  afterCut(random: Random): FoundDisk {
    // Some cuts find nothing that was not durable, some everything, most a part.
    const mood = random.next();
    const share = mood < 0.15 ? 0 : mood < 0.3 ? 1 : random.next();
    const isKept = (): boolean => random.next() < share;
    const found = new Map<string, Node | undefined>(this.#durable);
    for (const { names } of this.#changes) {
      if (isKept()) for (const [path, node] of names) found.set(path, node);
    }
    const disk = new Map<string, Buffer | undefined>();
    for (const [path, node] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const parent = dirname(path);
      const isReached = parent === this.#root || (disk.has(parent) && found.has(parent));
      if (node === undefined || !isReached) continue;
      disk.set(path, node.kind === "folder" ? undefined : contentOf(node, isKept));
    }
    return disk;
  }

  #begin(thread: number, call: SystemCall): void {
    if (call.kind === "write" && this.#isHere(call.path)) {
      const file = this.#fileAt(call.path);
      const { position } = this.#descriptors.get(call.descriptor)!;
      const offset = call.offset ?? position;
      const write = { offset, bytes: call.bytes, isOver: false };
      file.pending = [...file.pending, write];
      this.#begun.set(thread, { kind: "write", file, write });
    } else if (call.kind === "sync" && this.#isHere(call.path)) {
      const node = this.#names.get(call.path);
      const pending = node?.kind === "file" ? node.pending : [];
      this.#begun.set(thread, { kind: "sync", writes: pending.filter(({ isOver }) => isOver) });
    }
  }

  #end(thread: number, call: SystemCall, result: number): void {
    switch (call.kind) {
      case "open":
        this.#open(call, result);
        return;
      case "close":
        this.#descriptors.delete(call.descriptor);
        return;
      case "seek": {
        const descriptor = this.#descriptors.get(call.descriptor);
        if (descriptor !== undefined) descriptor.position = result;
        return;
      }
      case "write":
        if (this.#isHere(call.path)) this.#endWrite(thread, call, result);
        return;
      case "sync":
        if (this.#isHere(call.path) || call.path === this.#root) this.#endSync(thread, call.path);
        return;
      default:
        this.#changeNames(call);
    }
  }

  #changeNames(call: SystemCall): void {
    if (call.kind === "truncate" && this.#isHere(call.path)) {
      const file = this.#fileAt(call.path);
      assert(call.length >= lengthOf(file), "a file was shortened, which is not modelled");
      file.length = call.length;
    } else if (call.kind === "unlink" && this.#isHere(call.path)) {
      this.#change([[call.path, undefined]]);
    } else if (call.kind === "mkdir" && this.#isHere(call.path)) {
      this.#change([[call.path, { kind: "folder" }]]);
    } else if (call.kind === "rename" && this.#isHere(call.to)) {
      this.#rename(call.from, call.to);
    } else if (call.kind === "link" && this.#isHere(call.to)) {
      this.#change([[call.to, this.#names.get(call.from)]]);
    } else if (call.kind === "map" && this.#isHere(call.path)) {
      const isHarmless = !call.isWritable || this.#isVolatile(call.path);
      assert(isHarmless, `${call.path} is written through memory, which no trace shows`);
    } else if (call.kind === "unknown" && this.#isHere(call.path)) {
      assert(false, `${call.name} of ${call.path} is not modelled`);
    }
  }

  #open({ path, isCreating, isTruncating, isSynchronous }: OpenCall, result: number): void {
    if (!this.#isHere(path)) {
      this.#descriptors.delete(result);
      return;
    }
    if (isCreating && !this.#names.has(path)) {
      const file: TracedFile = { kind: "file", durable: Buffer.alloc(0), pending: [], length: 0 };
      this.#change([[path, file]]);
    }
    const node = this.#names.get(path);
    const isShortened = isTruncating && node?.kind === "file" && lengthOf(node) > 0;
    assert(!isShortened, "a file was shortened, which is not modelled");
    this.#descriptors.set(result, { path, isSynchronous, position: 0 });
  }

  #endWrite(thread: number, { descriptor, offset }: WriteCall, result: number): void {
    const begun = this.#begun.get(thread);
    this.#begun.delete(thread);
    if (begun?.kind !== "write") return;
    const { file, write } = begun;
    const opened = this.#descriptors.get(descriptor)!;
    if (offset === undefined) opened.position = write.offset + result;
    write.bytes = write.bytes.subarray(0, result);
    write.isOver = true;
    if (opened.isSynchronous) settle(file, [write]);
  }

  #endSync(thread: number, path: string): void {
    const begun = this.#begun.get(thread);
    this.#begun.delete(thread);
    const node = this.#names.get(path);
    if (node?.kind === "file") {
      if (begun?.kind === "sync") settle(node, begun.writes);
      return;
    }
    // What a directory shares with another one is durable when either is synced: a rename is one.
    const isOfPath = ({ folders }: NameChange): boolean => folders.includes(path);
    for (const { names } of this.#changes.filter(isOfPath)) {
      for (const [name, changed] of names) {
        if (changed === undefined) this.#durable.delete(name);
        else this.#durable.set(name, changed);
      }
    }
    this.#changes = this.#changes.filter((change) => !isOfPath(change));
  }

  #rename(from: string, to: string): void {
    const isMoved = (path: string): boolean => path === from || path.startsWith(`${from}/`);
    const isUnsettled = this.#changes.some(({ folders }) => folders.some(isMoved));
    assert(!isUnsettled, `names in ${from} were not durable when it was renamed: not modelled`);
    const moved = [...this.#names].filter(([path]) => isMoved(path));
    const names = moved.flatMap(([path, node]): NameChange["names"] => [
      [path, undefined],
      [to + path.slice(from.length), node],
    ]);
    this.#change(names, [dirname(from), dirname(to)]);
  }

  #change(
    names: NameChange["names"],
    folders: readonly string[] = names.map(([path]) => dirname(path)),
  ): void {
    this.#changes = [...this.#changes, { names, folders }];
    for (const [path, node] of names) {
      if (node === undefined) this.#names.delete(path);
      else this.#names.set(path, node);
    }
  }

  #isHere(path: string): boolean {
    return path.startsWith(`${this.#root}/`);
  }

  #fileAt(path: string): TracedFile {
    const node = this.#names.get(path);
    assert(node?.kind === "file", `${path} is no file that was opened`);
    return node;
  }
}

type OpenCall = Extract<SystemCall, { kind: "open" }>;
type WriteCall = Extract<SystemCall, { kind: "write" }>;

function lengthOf({ durable, pending, length }: TracedFile): number {
  return pending.reduce(
    (max, { offset, bytes }) => Math.max(max, offset + bytes.length),
    Math.max(durable.length, length),
  );
}

function settle(file: TracedFile, writes: readonly PendingWrite[]): void {
  for (const write of writes) {
    const end = write.offset + write.bytes.length;
    if (file.durable.length < end) {
      const grown = Buffer.alloc(end);
      file.durable.copy(grown);
      file.durable = grown;
    }
    write.bytes.copy(file.durable, write.offset);
    for (const older of file.pending.slice(0, file.pending.indexOf(write))) cover(older, write);
  }
  file.pending = file.pending.filter((write) => !writes.includes(write));
}

/** What is durable of a place is not taken back by an older write that comes late. */
function cover(older: PendingWrite, { offset, bytes }: PendingWrite): void {
  const start = Math.max(older.offset, offset);
  const end = Math.min(older.offset + older.bytes.length, offset + bytes.length);
  if (start >= end) return;
  older.bytes = Buffer.from(older.bytes);
  bytes.copy(older.bytes, start - older.offset, start - offset, end - offset);
}

function contentOf(file: TracedFile, isKept: () => boolean): Buffer {
  // Nothing at all may have come, not even the length.
  const { durable, pending } = file;
  if (pending.length === 0 && file.length <= durable.length) return durable;
  const pieces: { readonly offset: number; readonly bytes: Buffer }[] = [];
  let length = durable.length;
  for (const { offset, bytes } of pending) {
    const end = offset + bytes.length;
    if (isKept()) length = Math.max(length, end);
    for (let at = offset; at < end; ) {
      const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
      if (isKept()) pieces.push({ offset: at, bytes: bytes.subarray(at - offset, next - offset) });
      at = next;
    }
  }
  if (isKept()) length = Math.max(length, file.length);
  for (const { offset, bytes } of pieces) length = Math.max(length, offset + bytes.length);
  const content = Buffer.alloc(length);
  durable.copy(content);
  for (const { offset, bytes } of pieces) bytes.copy(content, offset);
  return content;
}
