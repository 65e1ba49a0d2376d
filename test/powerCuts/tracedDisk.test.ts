/** What lines of a trace mean, and what a power cut may leave of them: one row for each rule. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { CallReader } from "./systemCalls.ts";
import { TracedDisk } from "./tracedDisk.ts";

const CUT_COUNT = 200;
const FILE = "/r/file";

describe("a line of strace", () => {
  test.each([
    [
      `7 pwrite64(20<${hex("/r/f")}>, "${hex("abc")}", 3, 8232) = 3`,
      { kind: "write", descriptor: 20, path: "/r/f", offset: 8232, bytes: Buffer.from("abc") },
    ],
    [
      `7 writev(20<${hex("/r/f")}>, [{iov_base="${hex("ab")}", iov_len=2}, ` +
        `{iov_base="${hex("c")}", iov_len=1}], 2) = 3`,
      { kind: "write", offset: undefined, bytes: Buffer.from("abc") },
    ],
    [
      `7 openat(AT_FDCWD<${hex("/")}>, "${hex("/r/f")}", O_WRONLY|O_CREAT|O_EXCL|O_DSYNC, 0600) = 9`,
      { kind: "open", path: "/r/f", isCreating: true, isTruncating: false, isSynchronous: true },
    ],
    [`7 fdatasync(20<${hex("/r/f")}>) = 0`, { kind: "sync", path: "/r/f" }],
    [
      `7 rename("${hex("/r/a")}", "${hex("/r/b")}") = 0`,
      { kind: "rename", from: "/r/a", to: "/r/b" },
    ],
    [`7 unlink("${hex("/r/a")}") = 0`, { kind: "unlink", path: "/r/a" }],
    [
      `7 mmap(NULL, 10, PROT_READ|PROT_WRITE, MAP_SHARED, 19<${hex("/r/l")}>, 0) = 0x7f`,
      { kind: "map", path: "/r/l", isWritable: true },
    ],
    [
      `7 fallocate(20<${hex("/r/f")}>, 0, 0, 5) = 0`,
      { kind: "unknown", name: "fallocate", path: "/r/f" },
    ],
  ])("%j is read", (line, call) => {
    const events = new CallReader().read(line);
    expect(events.map(({ phase }) => phase)).toEqual(["start", "end"]);
    expect(events[1]!.call).toMatchObject(call);
  });

  test("that another thread interrupts is two", () => {
    const reader = new CallReader();
    const [start] = reader.read(`7 write(20<${hex("/r/f")}>, "${hex("abc")}", 3 <unfinished ...>`);
    const [end] = reader.read("7 <... write resumed>) = 2");
    expect(start).toMatchObject({ phase: "start", call: { bytes: Buffer.from("abc") } });
    expect(end).toMatchObject({ phase: "end", result: 2, call: { kind: "write", path: "/r/f" } });
  });

  test("that is about a signal or an end says nothing", () => {
    expect(new CallReader().read("7 +++ exited with 0 +++")).toEqual([]);
    expect(new CallReader().read("7 --- SIGCHLD {si_signo=SIGCHLD} ---")).toEqual([]);
  });
});

describe("after a power cut", () => {
  const made = [open(3), "7 fsync(4<@/r>) = 0"];
  test.each([
    ["a name whose directory was not synced may be missing", [open(3)], [undefined, ""]],
    ["one whose directory was synced is there", made, [""]],
    [
      "a write without a sync may be missing, or only its length be there",
      [...made, write("ab")],
      ["", "\0\0", "ab"],
    ],
    ["a write that was synced is there", [...made, write("ab"), sync()], ["ab"]],
    [
      "a write that began after the sync did is not",
      [...made, "8 fsync(3<@/r/file> <unfinished ...>", write("ab"), "8 <... fsync resumed>) = 0"],
      ["", "\0\0", "ab"],
    ],
    [
      "a write through a descriptor that syncs is there",
      [open(3, "|O_DSYNC"), made[1]!, write("ab")],
      ["ab"],
    ],
    [
      "such a write does not sync what others wrote",
      [...made, write("a"), open(4, "|O_DSYNC"), write("b", 4, 1)],
      ["\0b", "ab"],
    ],
    [
      "a deletion may not have happened before its directory is synced",
      [...made, 'unlink("@/r/file")'],
      [undefined, ""],
    ],
    [
      "and has after that",
      [...made, '7 unlink("@/r/file") = 0', "7 fsync(4<@/r>) = 0"],
      [undefined],
    ],
    [
      "a durable write is not taken back by an older one of its place",
      [...made, write("ab"), open(4, "|O_DSYNC"), write("cd", 4)],
      ["cd"],
    ],
    [
      "a write that failed may be there all the same",
      [...made, write("ab").replace(/= 2$/, "= -1 EIO")],
      ["", "\0\0", "ab"],
    ],
  ])("%s", (_name, lines, possible) => {
    expect(contentsAfter(lines)).toEqual(possible);
  });

  test("a sector is there or is not", () => {
    const long = "x".repeat(1024);
    const found = contentsAfter([...made, write(long)]);
    const halves = new Set(
      found.flatMap((text) => [text?.slice(0, 512), text?.slice(512)]).filter((half) => half),
    );
    expect([...halves].sort()).toEqual(["\0".repeat(512), "x".repeat(512)]);
    expect(found.length).toBeGreaterThan(4);
  });

  test("a directory that was renamed is under one of its names, with all that was in it", () => {
    const lines = [
      '7 mkdir("@/r/new") = 0',
      "7 fsync(5<@/r>) = 0",
      open(3).replace("/r/file", "/r/new/file"),
      "7 fsync(4<@/r/new>) = 0",
      '7 rename("@/r/new", "@/r/old") = 0',
    ];
    const states = disksAfter(lines).map((disk) => [...disk.keys()].join());
    expect([...new Set(states)].sort()).toEqual(["/r/new,/r/new/file", "/r/old,/r/old/file"]);
  });

  test("nobody knows what was written through memory, and the run is refused", () => {
    const map = "7 mmap(NULL, 10, PROT_READ|PROT_WRITE, MAP_SHARED, 3<@/r/file>, 0) = 1";
    expect(() => contentsAfter([...made, map])).toThrow("through memory");
  });
});

function open(descriptor: number, flags = ""): string {
  return `7 openat(AT_FDCWD<@/>, "@${FILE}", O_WRONLY|O_CREAT${flags}, 0600) = ${descriptor}`;
}

function write(text: string, descriptor = 3, offset = 0): string {
  const count = text.length;
  return `7 pwrite64(${descriptor}<@${FILE}>, "@${text}", ${count}, ${offset}) = ${count}`;
}

function sync(): string {
  return `7 fsync(3<@${FILE}>) = 0`;
}

/** Texts behind an `@` become what strace makes of them. */
function escaped(line: string): string {
  const whole = line.startsWith("unlink") ? `7 ${line} = 0` : line;
  return whole.replace(/@([^">]*)/g, (_, text: string) => hex(text));
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex").replace(/../g, "\\x$&");
}

function disksAfter(lines: readonly string[]) {
  const disk = new TracedDisk("/r", () => false);
  const reader = new CallReader();
  for (const line of lines) for (const event of reader.read(escaped(line))) disk.apply(event);
  return Array.from({ length: CUT_COUNT }, (_, seed) => disk.afterCut(seededRandom(seed)));
}

/** What the file may hold, each once; undefined if it may be gone. */
function contentsAfter(lines: readonly string[]): readonly (string | undefined)[] {
  const contents = disksAfter(lines).map((disk) => disk.get(FILE)?.toString());
  const isThere = (text: string | undefined): text is string => text !== undefined;
  const texts = [...new Set(contents.filter(isThere))].sort();
  return contents.some((text) => text === undefined) ? [undefined, ...texts] : texts;
}
