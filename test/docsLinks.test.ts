/**
 * Links of the documents lead somewhere: every relative link in a Markdown file of the project
 * names a file that exists, every anchor a heading of that file, and a reader who starts at
 * docs/README.md comes to every page of docs. Code that mentions a page by its path
 * (`docs/…/x.md`) names one that exists, and so do pages about the code that mention a file of it.
 *
 * Not looked at: links into the web, and what stands in code blocks.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const INDEX = "docs/README.md";
/** Folders that are not part of the project: installed, built, or made by running it. */
const FOREIGN = /(^|\/)(node_modules|dist|\.git|\.orrery|results)(\/|$)/;
/** A history names pages as they were called then. */
const HISTORY = "CHANGELOG.md";

/** Path of a file → its text. A file whose text does not matter here has an empty one. */
type Files = ReadonlyMap<string, string>;

interface Link {
  readonly line: number;
  readonly target: string;
}

test("every link and anchor leads somewhere, and every page is reachable", () => {
  const files = projectFiles();
  expect([...files.keys()].filter(isPage).length).toBeGreaterThan(60);
  const found = [
    ...brokenLinks(files),
    ...lonelyPages(files),
    ...brokenMentions(files),
    ...movedFiles(files),
  ];
  expect(found).toEqual([]);
});

describe("a planted breach is found", () => {
  const page = (path: string, text: string): Files =>
    new Map([
      [INDEX, "# Documents\n\n[a](use/a.md)\n"],
      ["docs/use/a.md", "# A page\n\n## The `second` part, of two\n\n## Twice\n\n## Twice\n"],
      ["src/x.ts", ""],
      [path, text],
    ]);

  test.each<readonly [string, string, readonly string[]]>([
    ["a file that does not exist", "[b](use/b.md)", ["no file docs/use/b.md"]],
    ["a folder without a README", "[use](use)", ["no page docs/use/README.md"]],
    ["a path that leaves the project", "[up](use/../../../a.md)", ["no file ../a.md"]],
    [
      "an anchor that no heading has",
      "[b](use/a.md#third)",
      ["no heading #third in docs/use/a.md"],
    ],
    ["an anchor of the page itself", "[b](#nowhere)", ["no heading #nowhere in docs/README.md"]],
    ["a link on a later line of a sentence", "one\n[b](c.md)", ["no file docs/c.md"]],
    ["a link with a title", '[b](c.md "see")', ["no file docs/c.md"]],
    ["a picture", "![b](c.png)", ["no file docs/c.png"]],
    ["a link by name", "[b][c]\n\n[c]: c.md", ["no file docs/c.md"]],
  ])("%s", (_name, text, found) => {
    const files = page(INDEX, `# Documents\n\n[a](use/a.md) ${text}\n`);
    expect(brokenLinks(files).map((complaint) => complaint.replace(/^\S+ /, ""))).toEqual(found);
  });

  test.each([
    ["a heading with marks", "[b](use/a.md#the-second-part-of-two)"],
    ["a heading that stands twice", "[b](use/a.md#twice-1)"],
    ["a file of code", "[b](../src/x.ts)"],
    ["the web", "[b](https://example.com/a.md#b)"],
    ["a code block", "\n```md\n[b](c.md)\n```\n"],
    ["code in a sentence", "`[b](c.md)`"],
  ])("and no other: %s", (_name, text) => {
    expect(brokenLinks(page(INDEX, `# D\n\n[a](use/a.md) ${text}\n`))).toEqual([]);
  });

  test("a page that nothing links to", () => {
    const files = page("docs/use/lonely.md", "# Lonely\n\n[a](a.md)\n");
    expect(lonelyPages(files)).toEqual(["docs/use/lonely.md is not reachable from docs/README.md"]);
  });

  test("a page that code mentions by a path it does not have", () => {
    const files = page("src/y.ts", "/**\n * See docs/a.md, and docs/use/a.md too.\n */\n");
    expect(brokenMentions(files)).toEqual(["src/y.ts:2 no file docs/a.md"]);
  });

  test("a file of code that a page names where it no longer is", () => {
    const files = page(
      "docs/inside/walks.md",
      "`src/x.ts` and `x.ts` are there, `room/x.ts` and\n`y.ts` not",
    );
    expect(movedFiles(files)).toEqual([
      "docs/inside/walks.md:1 no file room/x.ts",
      "docs/inside/walks.md:2 no file y.ts",
    ]);
  });
});

function brokenLinks(files: Files): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    if (!isPage(path)) continue;
    for (const { line, target } of linksOf(text)) {
      const place = `${path}:${line}`;
      const [file, anchor] = splitTarget(path, target);
      const page = isFolder(files, file) ? posix.join(file, "README.md") : file;
      const linked = files.get(page);
      if (linked === undefined) {
        found.push(`${place} no ${page === file ? "file" : "page"} ${page}`);
      } else if (anchor !== "" && isPage(page) && !anchorsOf(linked).has(anchor)) {
        found.push(`${place} no heading #${anchor} in ${page}`);
      }
    }
  }
  return found;
}

/** Pages of docs to which no chain of links leads. */
function lonelyPages(files: Files): string[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !isPage(path)) return;
    reached.add(path);
    for (const { target } of linksOf(files.get(path) ?? "")) {
      const [file] = splitTarget(path, target);
      visit(isFolder(files, file) ? posix.join(file, "README.md") : file);
    }
  };
  visit(INDEX);
  return [...files.keys()]
    .filter((path) => path.startsWith("docs/") && isPage(path) && !reached.has(path))
    .map((path) => `${path} is not reachable from ${INDEX}`);
}

/** Comments, messages and prose that name a page of docs by a path from the root. */
function brokenMentions(files: Files): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    if (path === HISTORY || path === "test/docsLinks.test.ts") continue;
    text.split("\n").forEach((line, index) => {
      for (const [mention] of line.matchAll(/\bdocs\/[\w/-]+\.md\b/g)) {
        if (!files.has(mention)) found.push(`${path}:${index + 1} no file ${mention}`);
      }
    });
  }
  return found;
}

/** Files of code that pages about it name, by the end of their path: `room/file.ts`, `file.ts`. */
function movedFiles(files: Files): string[] {
  const found: string[] = [];
  const paths = [...files.keys()];
  for (const [path, text] of files) {
    // Decisions are not edited later: they name files as they were called then.
    if (!/^docs\/inside\/[^/]+\.md$/.test(path)) continue;
    text.split("\n").forEach((line, index) => {
      for (const [, file] of line.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs))`/g)) {
        const isThere = files.has(file!) || paths.some((other) => other.endsWith(`/${file}`));
        if (!isThere) found.push(`${path}:${index + 1} no file ${file}`);
      }
    });
  }
  return found;
}

function linksOf(text: string): Link[] {
  const found: Link[] = [];
  proseOf(text).forEach((line, index) => {
    const targets = [
      ...line.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g),
      ...line.matchAll(/^\s*\[[^\]]+\]:\s+<?([^\s>]+)/g),
    ];
    for (const [, target] of targets) {
      if (!/^[a-z]+:/i.test(target!)) found.push({ line: index + 1, target: target! });
    }
  });
  return found;
}

/** The file that a link of a page names, from the root, and the anchor in it. */
function splitTarget(path: string, target: string): [string, string] {
  const [file, anchor = ""] = target.split("#") as [string, string?];
  if (file === "") return [path, anchor];
  return [posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, ""), anchor];
}

/** What the headings of a page are called in links, as the usual viewers make them. */
function anchorsOf(text: string): Set<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const line of proseOf(text, { keepCode: true })) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = words.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    anchors.add(count === 0 ? name : `${name}-${count}`);
  }
  return anchors;
}

/** The lines of a page; those of code blocks, and code inside a line, are blank. */
function proseOf(text: string, { keepCode = false } = {}): string[] {
  let fence: string | undefined;
  return text.split("\n").map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return "";
    }
    if (mark !== undefined) {
      fence = mark;
      return "";
    }
    return keepCode ? line : line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
  });
}

function isPage(path: string): boolean {
  return path.endsWith(".md");
}

function isFolder(files: Files, path: string): boolean {
  return [...files.keys()].some((other) => other.startsWith(`${path}/`));
}

function projectFiles(): Files {
  const files = new Map<string, string>();
  const add = (folder: string): void => {
    for (const entry of readdirSync(`${ROOT}${folder}`, { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (FOREIGN.test(path)) continue;
      if (entry.isDirectory()) add(path);
      else if (entry.isFile()) files.set(path, textOf(path));
    }
  };
  add("");
  return files;
}

function textOf(path: string): string {
  return /\.(md|ts|mjs|json)$/.test(path) ? readFileSync(`${ROOT}${path}`, "utf8") : "";
}
