/**
 * What is in the image, as entries of two layers: below, the libraries of Debian, Node, a shell and
 * the few files that programs expect of any system; above, Orrery with what it depends on. The lower
 * one changes with `parts.json` only.
 */
import { APPLICATION, KEPT, USER } from "./containerConfig.mjs";

/** @typedef {import("./tarFile.mjs").TarEntry} TarEntry */
/** @typedef {import("./debianPackage.mjs").DebianPackage} DebianPackage */

/** Folders that Debian has at these paths since everything of a system is below usr. */
const MERGED = ["bin", "lib", "lib64", "sbin"];
/** Of Debian's packages: libraries, the loader, the shell, and under which terms they are given. */
const KEPT_OF_DEBIAN = [
  /^usr\/lib(64)?\/([^/]+\/)?[^/]+\.so(\.[\d.]+)?$/,
  /^usr\/bin\/busybox$/,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
];
/** Names under which the shell's program is more than a shell. */
const APPLETS = (
  "cat chmod cp cut date df du echo env find grep head hostname id kill less ln ls mkdir mv nc " +
  "nslookup ping ps pwd rm sed sh sleep sort stat tail tar top touch uname uptime vi wc wget which"
).split(" ");

/** Of packages: what nothing loads when the server runs. */
const LEFT_OUT = [
  /^docs\//,
  /^examples\//,
  /^bench\//,
  /^dist\/types\//,
  /^node_modules\/\.bin\//,
  /^node_modules\/lmdb\/(dependencies|src)\//,
  /\.(map|d\.[cm]?ts|[ch]|cc|cpp|gyp|md)$/,
  // Of the native engine: for another C library, and for versions of Node that are not the image's.
  /\.(musl|abi\d+\.glibc)\.node$/,
];

/**
 * @param {{ debian: readonly DebianPackage[], node: readonly TarEntry[], suite: string }} parts
 * @returns {TarEntry[]}
 */
export function systemFiles({ debian, node, suite }) {
  const libraries = debian.flatMap(({ files }) =>
    files.filter(({ path, kind }) => {
      return kind !== "folder" && KEPT_OF_DEBIAN.some((pattern) => pattern.test(path));
    }),
  );
  const program = named(node, "package/bin/node");
  const terms = named(node, "package/LICENSE");
  const files = [
    ...libraries,
    { ...program, path: "usr/local/bin/node", mode: 0o755 },
    { ...terms, path: "usr/share/doc/node/copyright", mode: 0o644 },
    ...MERGED.map((name) => link(name, `usr/${name}`)),
    ...APPLETS.map((name) => link(`usr/bin/${name}`, "busybox")),
    // Where scanners of images look for packages when there is no package manager.
    ...debian.map(({ name, control }) => textFile(`var/lib/dpkg/status.d/${name}`, control)),
    ...etc(suite),
  ];
  const folders = ["usr/lib64", "usr/sbin", "proc", "sys", "dev", "home", "root"].map(folder);
  return withFolders([
    ...files,
    ...folders,
    { path: "tmp", kind: "folder", mode: 0o1777 },
    // The group is root's, as whose member platforms run containers that choose a user themselves.
    { path: KEPT.slice(1), kind: "folder", mode: 0o775, owner: USER },
  ]);
}

/** @type {(suite: string) => TarEntry[]} */
function etc(suite) {
  const nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin";
  const users = ["root:x:0:0:root:/root:/bin/sh", `orrery:x:${USER}:0:orrery:${KEPT}:/bin/sh`];
  return [
    textFile("etc/passwd", [...users, nobody, ""].join("\n")),
    textFile("etc/group", `root:x:0:\norrery:x:${USER}:\nnogroup:x:65534:\n`),
    textFile("etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    textFile("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    textFile("etc/os-release", `ID=debian\nVERSION_CODENAME=${suite}\nPRETTY_NAME="Orrery"\n`),
  ];
}

/**
 * `files` have paths as in the package: `dist/…`, `node_modules/…`.
 * @param {readonly TarEntry[]} files
 * @param {string} prebuilds the folder of native code for the image's kind of machine
 * @returns {TarEntry[]}
 */
export function applicationFiles(files, prebuilds) {
  const used = files.filter(({ path, kind }) => {
    if (kind === "folder" || LEFT_OUT.some((pattern) => pattern.test(path))) return false;
    const machine = /\/prebuilds\/([^/]+)\//.exec(path)?.[1];
    return machine === undefined || machine === prebuilds;
  });
  const placed = used.map((file) => ({
    ...file,
    path: `${APPLICATION}/${file.path}`,
    mode: (file.mode & 0o111) === 0 ? 0o644 : 0o755,
  }));
  return withFolders([...placed, link("usr/local/bin/orrery", `/${APPLICATION}/dist/cli.js`)]);
}

/** With every folder that a path goes through. @type {(entries: readonly TarEntry[]) => TarEntry[]} */
function withFolders(entries) {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    const names = path.split("/");
    for (let count = 1; count < names.length; count++) {
      const parent = names.slice(0, count).join("/");
      if (!all.has(parent)) all.set(parent, folder(parent));
    }
  }
  return [...all.values()];
}

/** @type {(entries: readonly TarEntry[], path: string) => TarEntry} */
function named(entries, path) {
  const found = entries.find((entry) => entry.path === path);
  if (found === undefined) throw new Error(`the package of Node has no ${path}`);
  return found;
}

/** @type {(path: string) => TarEntry} */
function folder(path) {
  return { path, kind: "folder", mode: 0o755 };
}

/** @type {(path: string, target: string) => TarEntry} */
function link(path, target) {
  return { path, kind: "link", mode: 0o777, target };
}

/** @type {(path: string, text: string) => TarEntry} */
function textFile(path, text) {
  return { path, kind: "file", mode: 0o644, content: Buffer.from(text) };
}
