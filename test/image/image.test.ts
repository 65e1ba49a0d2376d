/**
 * What the container image is made of, without fetching any of it: archives, digests, which files
 * are left out, and that the Dockerfile makes the same image. `npm run campaign image` runs it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Entry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly owner?: number;
  readonly content?: Buffer;
  readonly target?: string;
}

/** Scripts are JavaScript: what they export is said here. */
interface Scripts {
  readonly writeTar: (entries: readonly Entry[]) => Buffer;
  readonly readTar: (bytes: Buffer) => Entry[];
  readonly imageOf: (parts: object) => { readonly tar: Buffer; readonly digest: string };
  readonly digestOf: (bytes: Buffer) => string;
  readonly systemFiles: (parts: object) => Entry[];
  readonly applicationFiles: (files: readonly Entry[], prebuilds: string) => Entry[];
  readonly readDebianPackage: (name: string, bytes: Buffer) => { readonly control: string };
  readonly CONTAINER: Readonly<Record<string, unknown>> & {
    readonly Entrypoint: readonly string[];
  };
}

async function load<Name extends keyof Scripts>(file: string): Promise<Pick<Scripts, Name>> {
  return (await import(join(ROOT, "scripts", "image", file))) as Pick<Scripts, Name>;
}

const { writeTar, readTar } = await load<"writeTar" | "readTar">("tarFile.mjs");
const { imageOf, digestOf } = await load<"imageOf" | "digestOf">("ociLayout.mjs");
const { systemFiles, applicationFiles } = await load<"systemFiles" | "applicationFiles">(
  "rootFiles.mjs",
);
const { readDebianPackage } = await load<"readDebianPackage">("debianPackage.mjs");
const { CONTAINER } = await load<"CONTAINER">("containerConfig.mjs");

const file = (path: string, text = path, mode = 0o644): Entry => {
  return { path, kind: "file", mode, content: Buffer.from(text) };
};
const LONG = `${"folder/".repeat(20)}${"n".repeat(90)}.js`;
const ENTRIES: readonly Entry[] = [
  file("b/run", "#!", 0o755),
  file(LONG, "far below"),
  { path: "b", kind: "folder", mode: 0o755 },
  { path: "a", kind: "link", mode: 0o777, target: "b/run" },
  { path: "data", kind: "folder", mode: 0o775, owner: 1000 },
  file("empty", ""),
];

describe("an archive", () => {
  test("has what was put in, sorted, whatever order it came in", () => {
    const tar = writeTar(ENTRIES);
    expect(writeTar([...ENTRIES].reverse()).equals(tar)).toBe(true);
    const found = readTar(tar);
    expect(found.map(({ path }) => path)).toEqual(["a", "b", "b/run", "data", "empty", LONG]);
    expect(found.find(({ path }) => path === LONG)?.content?.toString()).toBe("far below");
    expect(found[0]).toMatchObject({ kind: "link", target: "b/run" });
    expect(found[2]).toMatchObject({ kind: "file", mode: 0o755 });
  });

  test("is one for other programs, with owners and a time that are always the same", () => {
    const options = { input: writeTar(ENTRIES), encoding: "utf8" } as const;
    const args = ["--list", "--verbose", "--numeric-owner", "--utc", "--file=-"];
    const { stdout, status } = spawnSync("tar", args, options);
    expect(status).toBe(0);
    expect(stdout.replaceAll(/ +/g, " ").split("\n").slice(0, 4)).toEqual([
      "lrwxrwxrwx 0/0 0 1970-01-01 00:00 a -> b/run",
      "drwxr-xr-x 0/0 0 1970-01-01 00:00 b/",
      "-rwxr-xr-x 0/0 2 1970-01-01 00:00 b/run",
      "drwxrwxr-x 1000/0 0 1970-01-01 00:00 data/",
    ]);
  });

  test("takes no name twice, and none that does not fit", () => {
    expect(() => writeTar([file("a"), file("a", "other")])).toThrow("a is there twice");
    expect(() => writeTar([file("n".repeat(101))])).toThrow("too long");
  });

  test("is read with the long names of other programs", () => {
    const folder = mkdtempSync(join(tmpdir(), "orrery-tar-"));
    const name = "n".repeat(180);
    writeFileSync(join(folder, name), "text");
    for (const format of ["gnu", "pax"]) {
      const args = [`--format=${format}`, "--create", "--file=-", "-C", folder, name];
      const { stdout } = spawnSync("tar", args);
      expect(readTar(stdout).map(({ path }) => path)).toEqual([name]);
    }
    rmSync(folder, { recursive: true });
  });
});

describe("an image", () => {
  const layers = [writeTar(ENTRIES), writeTar([file("opt/x")])];
  const parts = { layers, architecture: "amd64", created: "1970-01-01T00:00:00.000Z" };
  const make = () => imageOf({ ...parts, config: { User: "1000" }, tag: "orrery:1" });

  test("is the same each time, and every blob is what it is called", () => {
    expect(make().tar.equals(make().tar)).toBe(true);
    const files = new Map(readTar(make().tar).map(({ path, content }) => [path, content!]));
    for (const [path, bytes] of files) {
      if (bytes === undefined || !path.startsWith("blobs/sha256/")) continue;
      expect(path).toBe(`blobs/${digestOf(bytes).replace(":", "/")}`);
    }
    const json = (path: string) => JSON.parse(files.get(path)!.toString());
    const [{ digest, size, platform }] = json("index.json").manifests;
    expect(digest).toBe(make().digest);
    expect(platform).toEqual({ architecture: "amd64", os: "linux" });
    const manifest = files.get(`blobs/${digest.replace(":", "/")}`)!;
    expect(manifest.length).toBe(size);
    const [{ Config, Layers, RepoTags }] = json("manifest.json");
    expect(RepoTags).toEqual(["orrery:1"]);
    expect(json(Config).rootfs.diff_ids).toEqual(layers.map(digestOf));
    expect(Layers.map((path: string) => digestOf(gunzipSync(files.get(path)!)))).toEqual(
      layers.map(digestOf),
    );
  });
});

describe("what is in it", () => {
  const library = "usr/lib/x86_64-linux-gnu/libc.so.6";
  const debian = [
    {
      name: "libc6",
      control: "Package: libc6\n",
      files: [file(library), file("usr/share/doc/libc6/copyright"), file("usr/lib/gconv/A.so/x")],
    },
  ];
  const node = [file("package/bin/node"), file("package/LICENSE"), file("package/include/a.h")];
  const system = systemFiles({ debian, node, suite: "trixie" });

  test("below: libraries with their terms, Node, a shell, and a folder to keep data in", () => {
    const paths = system.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([library, "usr/local/bin/node", "usr/bin/sh"]));
    expect(paths).toContain("usr/share/doc/libc6/copyright");
    expect(paths).toContain("var/lib/dpkg/status.d/libc6");
    expect(paths.filter((path) => /gconv|include/.test(path))).toEqual([]);
    const data = system.find(({ path }) => path === "data");
    expect(data).toMatchObject({ kind: "folder", owner: 1000, mode: 0o775 });
    expect(() => writeTar(system)).not.toThrow();
  });

  test("above: the package and what it loads, without what is for others", () => {
    const modules = "node_modules/native/prebuilds";
    const files = [
      file("dist/cli.js", "#!", 0o755),
      file("dist/types/index.d.ts"),
      file("docs/README.md"),
      file(`${modules}/linux-x64/a.node`),
      file(`${modules}/darwin-arm64/a.node`),
      file("node_modules/engine/node.napi.musl.node"),
      file("node_modules/engine/node.napi.glibc.node"),
      file("node_modules/engine/LICENSE"),
    ];
    const placed = applicationFiles(files, "linux-x64").filter(({ kind }) => kind === "file");
    expect(placed.map(({ path }) => path.replace("opt/orrery/", ""))).toEqual([
      "dist/cli.js",
      `${modules}/linux-x64/a.node`,
      "node_modules/engine/node.napi.glibc.node",
      "node_modules/engine/LICENSE",
    ]);
  });

  test("what is no package of Debian is refused", () => {
    const read = () => readDebianPackage("libc6", Buffer.from("<html>not found</html>"));
    expect(read).toThrow("libc6 is no package of Debian");
  });
});

test("the Dockerfile makes the same image, and starts what the command knows", () => {
  const text = readFileSync(join(ROOT, "Dockerfile"), "utf8").replaceAll("\\\n", "");
  const last = text.slice(text.lastIndexOf("\nFROM "));
  const said = (word: string): string =>
    new RegExp(`^${word} (.*)$`, "m").exec(last)?.[1]?.trim() ?? "";
  expect(JSON.parse(said("ENTRYPOINT"))).toEqual(CONTAINER.Entrypoint);
  expect(said("USER")).toBe(CONTAINER["User"]);
  expect(said("WORKDIR")).toBe(CONTAINER["WorkingDir"]);
  expect({ [said("VOLUME")]: {} }).toEqual(CONTAINER["Volumes"]);
  expect(said("STOPSIGNAL")).toBe(CONTAINER["StopSignal"]);
  expect(CONTAINER["Env"]).toContain(said("ENV"));
  const ports = said("EXPOSE").split(" ");
  expect(Object.keys(CONTAINER["ExposedPorts"]!)).toEqual(ports.map((port) => `${port}/tcp`));
  expect(said("HEALTHCHECK")).toContain("http://127.0.0.1:8080/ready");

  const [, cli, ...args] = CONTAINER.Entrypoint;
  expect(cli).toBe("/opt/orrery/dist/cli.js");
  const command = [join(ROOT, "dist", "cli.js"), ...args, "--help"];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
