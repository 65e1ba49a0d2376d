/**
 * Builds the web page into `dist/page`: bundled and minified, a piece for each page that is loaded
 * when it is first looked at, names that change with the content, and each file also compressed.
 *
 * `files.json` lists what was made: the server serves that and nothing else. It also names what a
 * browser loads before it can show the first page, so that a test can weigh it.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, context } from "esbuild";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Less than this is not worth compressing. */
const COMPRESSED_BYTES_MIN = 512;
/** The piece of the page that is shown first; it is loaded together with the frame around it. */
const FIRST_PAGE = "src/page/overview/overviewPage.tsx";

/** @param {{ root: string }} where */
export async function buildPage({ root }) {
  finish(root, await Promise.all(jobsOf(root).map((options) => build(options))));
}

/**
 * Builds the page again whenever a file of it changes, until `stop` is called.
 * @param {{ root: string, say: (text: string) => void }} setting
 */
export async function watchPage({ root, say }) {
  /** @type {Map<number, import("esbuild").BuildResult>} */
  const results = new Map();
  const jobs = jobsOf(root);
  const contexts = await Promise.all(
    jobs.map((options, index) =>
      context({
        ...options,
        plugins: [
          {
            name: "finish",
            setup(setup) {
              setup.onEnd((result) => {
                if (result.errors.length > 0) return;
                results.set(index, result);
                if (results.size < jobs.length) return;
                finish(root, [...results.values()]);
                say("The page is built.");
              });
            },
          },
        ],
      }),
    ),
  );
  await Promise.all(contexts.map((each) => each.watch()));
  return () => Promise.all(contexts.map((each) => each.dispose()));
}

/**
 * The script that sets the theme runs before the first paint, so it is no module and has a file of
 * its own.
 * @param {string} root
 * @returns {import("esbuild").BuildOptions[]}
 */
function jobsOf(root) {
  /** @satisfies {import("esbuild").BuildOptions} */
  const shared = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    target: ["chrome123", "firefox121", "safari17.5"],
    outdir: "dist/page/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    loader: { ".svg": "file" },
    logLevel: "warning",
  };
  return [
    {
      ...shared,
      entryPoints: [
        "src/page/shell/main.tsx",
        "src/page/style/page.css",
        "src/page/shell/icon.svg",
      ],
      format: "esm",
      splitting: true,
    },
    { ...shared, entryPoints: ["src/page/shell/beforePaint.ts"], format: "iife" },
  ];
}

/**
 * Writes what was built, then the list of it, then drops what is no longer in the list.
 * @param {string} root
 * @param {readonly import("esbuild").BuildResult[]} results
 */
function finish(root, results) {
  const folder = join(root, "dist/page");
  const made = join(root, `dist/page.${process.pid}`);
  rmSync(made, { recursive: true, force: true });
  mkdirSync(join(made, "assets"), { recursive: true });
  const built = results.flatMap(({ outputFiles = [] }) => outputFiles);
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile?.outputs));
  const files = built.map(({ path, contents }) =>
    keep(made, `assets/${basename(path)}`, Buffer.from(contents), true),
  );
  /** @param {RegExp} pattern */
  const named = (pattern) => {
    const found = files.find(({ name }) => pattern.test(name));
    if (found === undefined) throw new Error(`The page has no file ${pattern}.`);
    return found.name;
  };
  const page = readFileSync(join(root, "src/page/shell/index.html"), "utf8").replace(
    /%(\w+)\.(\w+)%/g,
    (_, name, ending) => named(new RegExp(`^assets/${name}-[A-Z0-9]+\\.${ending}$`)),
  );
  const firstLoad = firstLoadOf(outputs, page);
  // A browser would learn of the pieces one after the other, each from the one that needs it.
  const preloads = firstLoad
    .filter((name) => name.endsWith(".js") && !page.includes(name))
    .map((name) => `<link rel="modulepreload" href="/_explorer/${name}" />`);
  const complete = page.replace("<!-- preloads -->", preloads.join("\n    "));
  files.push(keep(made, "index.html", Buffer.from(complete), false));
  writeFileSync(join(made, "files.json"), `${JSON.stringify({ files, firstLoad }, null, 1)}\n`);
  const former = join(root, `dist/page.${process.pid}.former`);
  rmSync(former, { recursive: true, force: true });
  try {
    renameSync(folder, former);
  } catch {
    // There was none.
  }
  renameSync(made, folder);
  rmSync(former, { recursive: true, force: true });
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {Buffer} content
 * @param {boolean} isFixed
 */
function keep(folder, name, content, isFixed) {
  const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(name))];
  if (type === undefined) throw new Error(`The page has a file of an unknown kind, ${name}.`);
  writeFileSync(join(folder, name), content);
  /** @type {string[]} */
  const codings = [];
  if (content.length >= COMPRESSED_BYTES_MIN) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    codings.push("gzip");
  }
  const tag = createHash("sha256").update(content).digest("base64url").slice(0, 16);
  return { name, type, tag, isFixed, codings };
}

/**
 * What a browser loads until the first page is there.
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {string} page
 */
function firstLoadOf(outputs, page) {
  const names = new Set(["index.html"]);
  /** @param {string} path */
  const follow = (path) => {
    const name = path.replace(/^dist\/page\//, "");
    if (names.has(name)) return;
    names.add(name);
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") follow(imported);
    }
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    const name = path.replace(/^dist\/page\//, "");
    if (page.includes(name) || entryPoint === FIRST_PAGE) follow(path);
  }
  return [...names];
}
