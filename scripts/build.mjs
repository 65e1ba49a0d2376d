/**
 * Builds what is run and published: `dist/cli.js` (the command), `dist/index.js` (the embedding API),
 * `dist/keys.js` (key strategies for applications), `dist/router.js` (queries over hot and warm
 * containers), `dist/absorber.js` and `dist/scriptThread.js` (threads), `dist/page` (the web page, see
 * `buildPage.mjs`), the schema of settings files, and `dist/types`. There are no source maps: nothing is
 * minified but the page.
 * Everything is bundled, because loading hundreds of small modules is what makes a Node server slow to
 * start; but not the native engine, not the reader of YAML, and not the official client.
 *
 * `--if-needed` returns at once when nothing under `src` is newer than the last build.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepReachableTypes } from "./reachableTypes.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Of what applications import, in `dist/types`. */
const TYPES = ["index.d.ts", "keys.d.ts", "router.d.ts"];
const outputs = [
  "dist/cli.js",
  "dist/index.js",
  "dist/keys.js",
  "dist/router.js",
  "dist/absorber.js",
  "dist/scriptThread.js",
  "dist/page/files.json",
  "dist/orrery.config.schema.json",
  ...TYPES.map((file) => `dist/types/${file}`),
].map((path) => join(root, path));

if (process.argv.includes("--if-needed") && isFresh()) process.exit(0);

const { build } = await import("esbuild");
const { buildPage } = await import("./buildPage.mjs");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * The stemmers are 850 KB that few servers ever need: Node would look through all of it for the names
 * that it exports, at each start. It is loaded when the first word is stemmed.
 * @type {import("esbuild").Plugin}
 */
const lateStemmers = {
  name: "late stemmers",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^snowball-stemmers$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "late" } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: "late" }, () => ({
      contents: [
        'import { createRequire } from "node:module";',
        "const load = createRequire(import.meta.url);",
        'export const newStemmer = (name) => load("snowball-stemmers").newStemmer(name);',
      ].join("\n"),
    }));
  },
};

rmSync(join(root, "dist"), { recursive: true, force: true });
/** @satisfies {import("esbuild").BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: [
    "lmdb",
    "pg",
    "fs-native-extensions",
    "yaml",
    "@azure/cosmos",
    "quickjs-emscripten-core",
    "@jitl/quickjs-wasmfile-release-sync",
  ],
  plugins: [lateStemmers],
  define: { ORRERY_VERSION: JSON.stringify(version) },
  logLevel: "warning",
};
// What the two have in common, nearly everything, is in a file that both load.
await build({
  ...shared,
  entryPoints: {
    cli: "src/cli/main.ts",
    index: "src/index.ts",
    keys: "src/keys.ts",
    router: "src/router.ts",
  },
  outdir: "dist",
  splitting: true,
  chunkNames: "shared-[hash]",
});
await build({
  ...shared,
  entryPoints: ["src/store/lmdb/absorber.ts"],
  outfile: "dist/absorber.js",
});
await build({
  ...shared,
  entryPoints: ["src/script/scriptThread.ts"],
  outfile: "dist/scriptThread.js",
});
await buildPage({ root });
chmodSync(join(root, "dist/cli.js"), 0o755);
// Editors check settings files against it; the command prints the same.
const schema = spawnSync(process.execPath, [join(root, "dist/cli.js"), "config", "--schema"]);
if (schema.status !== 0) process.exit(1);
writeFileSync(join(root, "dist/orrery.config.schema.json"), schema.stdout);

const tsc = join(root, "node_modules/typescript/bin/tsc");
const types = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
if (types.status === 0) keepReachableTypes(join(root, "dist/types"), TYPES);
process.exit(types.status ?? 1);

/** True when every output exists and is newer than every source it is made from. */
function isFresh() {
  if (!outputs.every((path) => existsSync(path))) return false;
  const builtAt = Math.min(...outputs.map((path) => statSync(path).mtimeMs));
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(tsx?|css|html|svg)$/.test(path) && !path.endsWith(".test.ts"))
    .map((path) => join(root, "src", path));
  for (const script of ["build", "buildPage", "reachableTypes"]) {
    sources.push(join(root, "scripts", `${script}.mjs`));
  }
  sources.push(join(root, "package.json"));
  return sources.every((path) => statSync(path).mtimeMs <= builtAt);
}
