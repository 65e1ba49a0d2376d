/**
 * System calls as strace prints them, as values. Every call is two events, its start and its end:
 * the power may go in between, and then nobody knows what the disk has of it.
 *
 * strace is told to print all texts as hexadecimal escapes (`-xx`) and descriptors with their paths
 * (`-y`), so a line can be taken apart without guessing where a text ends.
 */

/** What can change a file, a name or what is durable of them. */
export type SystemCall =
  | {
      readonly kind: "open";
      readonly path: string;
      readonly isCreating: boolean;
      readonly isTruncating: boolean;
      /** Every write through it is durable when it returns. */
      readonly isSynchronous: boolean;
    }
  | { readonly kind: "close"; readonly descriptor: number }
  /** Where the descriptor stands, if there is no offset. */
  | {
      readonly kind: "write";
      readonly descriptor: number;
      readonly path: string;
      readonly bytes: Buffer;
      readonly offset: number | undefined;
    }
  | { readonly kind: "seek"; readonly descriptor: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "map"; readonly path: string; readonly isWritable: boolean }
  | { readonly kind: "unlink"; readonly path: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "link"; readonly from: string; readonly to: string }
  | { readonly kind: "mkdir"; readonly path: string }
  /** Would change a file in a way that nobody here has thought of. */
  | { readonly kind: "unknown"; readonly name: string; readonly path: string };

export interface CallEvent {
  /** The thread; it has one call under way at most. */
  readonly thread: number;
  readonly phase: "start" | "end";
  readonly call: SystemCall;
  /** What it returned, at its end. */
  readonly result: number;
}

/** The calls that have to be traced. */
export const TRACED: readonly string[] = [
  ..."open openat creat close write pwrite64 writev pwritev pwritev2 lseek fsync fdatasync".split(
    " ",
  ),
  ..."sync_file_range msync ftruncate truncate fallocate mmap unlink unlinkat rename".split(" "),
  ..."renameat renameat2 link linkat mkdir mkdirat rmdir copy_file_range sendfile".split(" "),
];

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/s;
const RESULT = /\) += (-?\d+)[^"]*$/;
const UNFINISHED = " <unfinished ...>";

/** Takes the lines one after the other, and gives the events of each. */
export class CallReader {
  readonly #underWay = new Map<number, string>();

  read(line: string): readonly CallEvent[] {
    const match = LINE.exec(line);
    // Signals and ends of threads.
    if (match === null) return [];
    const [, threadText, resumed, name, rest = ""] = match;
    const thread = Number(threadText);
    if (rest.endsWith(UNFINISHED) && name !== undefined) {
      const text = rest.slice(0, -UNFINISHED.length);
      this.#underWay.set(thread, text);
      const call = callOf(name, text);
      return call === undefined ? [] : [{ thread, phase: "start", call, result: 0 }];
    }
    const result = Number(RESULT.exec(rest)?.[1] ?? Number.NaN);
    if (resumed !== undefined) {
      const call = callOf(resumed, (this.#underWay.get(thread) ?? "") + rest);
      this.#underWay.delete(thread);
      return call === undefined ? [] : [{ thread, phase: "end", call, result }];
    }
    const call = callOf(name!, rest);
    if (call === undefined) return [];
    return [
      { thread, phase: "start", call, result: 0 },
      { thread, phase: "end", call, result },
    ];
  }
}

const TEXT = /"((?:\\x[0-9a-f]{2})*)"/g;
const DESCRIPTOR = /^(\d+)<((?:\\x[0-9a-f]{2})*)>/;

/** Of a call whose arguments may break off; undefined if it cannot matter. */
function callOf(name: string, text: string): SystemCall | undefined {
  const [, number, hexPath = ""] = DESCRIPTOR.exec(text) ?? [];
  const descriptor = Number(number ?? -1);
  const path = bytesOf(hexPath).toString();
  const texts = (): readonly string[] =>
    [...text.matchAll(TEXT)].map(([, hex = ""]) => bytesOf(hex).toString());
  switch (name) {
    case "open":
    case "openat":
    case "creat":
      return {
        kind: "open",
        path: texts()[0] ?? "",
        isCreating: name === "creat" || text.includes("O_CREAT"),
        isTruncating: name === "creat" || text.includes("O_TRUNC"),
        isSynchronous: /O_D?SYNC/.test(text),
      };
    case "close":
      return { kind: "close", descriptor };
    case "write":
    case "pwrite64":
    case "writev":
    case "pwritev":
    case "pwritev2": {
      const parts = [...text.matchAll(TEXT)].map(([, hex = ""]) => bytesOf(hex));
      const offset = name.startsWith("p") ? offsetIn(name, text) : undefined;
      return { kind: "write", descriptor, path, bytes: Buffer.concat(parts), offset };
    }
    case "lseek":
      return { kind: "seek", descriptor };
    case "fsync":
    case "fdatasync":
      return { kind: "sync", path };
    case "ftruncate":
      return { kind: "truncate", path, length: Number(/>[^,]*, (\d+)/.exec(text)?.[1]) };
    case "mmap": {
      const [, hex = ""] = /, \d+<((?:\\x[0-9a-f]{2})*)>/.exec(text) ?? [];
      const isWritable = text.includes("PROT_WRITE") && text.includes("MAP_SHARED");
      return { kind: "map", path: bytesOf(hex).toString(), isWritable };
    }
    case "unlink":
    case "unlinkat":
    case "rmdir":
      return { kind: "unlink", path: texts()[0] ?? "" };
    case "rename":
    case "renameat":
    case "renameat2":
      return { kind: "rename", from: texts()[0] ?? "", to: texts()[1] ?? "" };
    case "link":
    case "linkat":
      return { kind: "link", from: texts()[0] ?? "", to: texts()[1] ?? "" };
    case "mkdir":
    case "mkdirat":
      return { kind: "mkdir", path: texts()[0] ?? "" };
    default:
      return { kind: "unknown", name, path: path || (texts()[0] ?? "") };
  }
}

/** The last argument, or the last but one of `pwritev2`, which ends with flags. */
function offsetIn(name: string, text: string): number {
  const numbers = [...text.matchAll(/, (\d+)(?=[,)]|$)/g)].map(([, digits]) => Number(digits));
  return numbers.at(name === "pwritev2" ? -2 : -1)!;
}

function bytesOf(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll("\\x", ""), "hex");
}
