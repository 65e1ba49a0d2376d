/**
 * The tables say what each path names and how it is signed: read them first. The properties
 * compare the fast path with the general one and look for texts that break the parser.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { linkSegments, parseResourcePath } from "./resourcePath.ts";

interface Row {
  readonly url: string;
  readonly kind: string;
  readonly place: Record<string, string>;
}

const row = (url: string, kind: string, place: Record<string, string> = {}): Row => ({
  url,
  kind,
  place,
});

const PATHS: readonly Row[] = [
  row("/", "account"),
  row("", "none"),
  row("/?x=1", "account"),
  row("//", "account"),
  row("/dbs", "databases"),
  row("/dbs/", "databases"),
  row("//dbs//", "databases"),
  row("/dbs/d", "database", { database: "d" }),
  row("/dbs/d/colls", "containers", { database: "d" }),
  row("/dbs/d/colls/c", "container", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/?x", "container", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/docs", "items", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/docs/", "items", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/docs?x=1", "items", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/docs/i", "item", { database: "d", container: "c", id: "i" }),
  row("/dbs/d/colls/c/docs/i/", "item", { database: "d", container: "c", id: "i" }),
  row("/dbs/docs/colls/docs/docs/docs", "item", {
    database: "docs",
    container: "docs",
    id: "docs",
  }),
  row("/dbs/d/colls/c/pkranges", "ranges", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/pkranges/", "ranges", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/operations/partitionkeydelete", "partitionKeyDelete", {
    database: "d",
    container: "c",
  }),
  row("/offers", "offers"),
  row("/offers/Ab3d", "offer", { id: "Ab3d" }),
  row("/dbs/d/users", "resources", { resource: "user", database: "d" }),
  row("/dbs/d/users/u/", "resource", { resource: "user", database: "d", id: "u" }),
  row("/dbs/d/users/u/permissions", "resources", {
    resource: "permission",
    database: "d",
    user: "u",
  }),
  row("/dbs/d/users/u/permissions/p", "resource", {
    resource: "permission",
    database: "d",
    user: "u",
    id: "p",
  }),
  row("/dbs/d/clientencryptionkeys", "resources", { resource: "clientEncryptionKey" }),
  row("/dbs/d/clientencryptionkeys/k", "resource", {
    resource: "clientEncryptionKey",
    database: "d",
    id: "k",
  }),
  row("/dbs/d/colls/c/sprocs/s", "resource", {
    resource: "storedProcedure",
    database: "d",
    container: "c",
    id: "s",
  }),
  row("/dbs/d/colls/c/triggers", "resources", { resource: "trigger", container: "c" }),
  row("/dbs/d/colls/c/udfs/conflicts", "resource", {
    resource: "userDefinedFunction",
    container: "c",
    id: "conflicts",
  }),
  row("/dbs/d/colls/c/conflicts", "conflicts", { database: "d", container: "c" }),
  row("/dbs/d/colls/c/conflicts/x", "conflict", { container: "c", id: "x" }),
  row("/dbs/d/colls/c/conflicts/x/conflicts", "conflict", { container: "c", id: "x" }),
  row("//addresses/?$resolveFor=dbs%2fd&$filter=protocol%20eq%20rntbd", "addresses"),
  row("/addresses", "addresses"),
  row("/addresses/x", "none"),
  row("/dbs/d/colls/c/docs/i/attachments", "other"),
  row("/dbs/d/colls/c/pkranges/0", "other"),
  row("/dbs/d/colls/c/docs/i/docs", "none"),
  row("/dbs/d/colls/c/operations/other", "none"),
  row("/dbs/d/users/u/operations/partitionkeydelete", "none"),
  row("/colls/c", "none"),
  row("/dbs//colls/c", "none"),
  row("/dbs/d/colls//docs/i", "none"),
  row("/Dbs/d", "none"),
  row("/__proto__", "none"),
  row("/dbs/d/constructor", "none"),
  row("*", "none"),
  row("http://host/dbs", "none"),
];

describe("what a path names", () => {
  test.each(PATHS)("$url is $kind", ({ url, kind, place }) => {
    const path = parseResourcePath(url);
    expect(path?.kind ?? "none").toBe(kind);
    if (path !== undefined) expect(path).toMatchObject(place);
  });
});

describe("ids are decoded once, and a raw question mark belongs to an item id", () => {
  test.each([
    ["with%20space", "with space"],
    ["with%25percent", "with%percent"],
    ["with%2520", "with%20"],
    ["with+plus&and=more", "with+plus&and=more"],
    ["a?b", "a?b"],
    ["a?b?c=d", "a?b?c=d"],
    ["a?b/", "a?b"],
    ["?", "?"],
    ["?b%20c", "?b c"],
    ["%3F", "?"],
    ["a%2Fb", "a/b"],
    ["%C3%A9%F0%9F%98%80", "é😀"],
    ["..", ".."],
    ["%00", "\0"],
  ])("docs/%s is item %j", (raw, id) => {
    const path = parseResourcePath(`/dbs/d/colls/c/docs/${raw}`);
    expect(path).toMatchObject({ kind: "item", id, database: "d", container: "c" });
    expect(path?.resourceLinks).toEqual([`dbs/d/colls/c/docs/${id}`]);
    expect(path?.segments).toEqual(["dbs", "d", "colls", "c", "docs", id]);
  });

  test.each(["%", "%zz", "%C3", "%ED%A0%80", "a?%"])("docs/%s is refused", (raw) => {
    expect(parseResourcePath(`/dbs/d/colls/c/docs/${raw}`)).toBeUndefined();
  });

  test("names are decoded too", () => {
    const path = parseResourcePath("/dbs/my%20db/colls/%C3%A9/docs");
    expect(path).toMatchObject({ database: "my db", container: "é" });
    expect(path?.resourceLinks).toEqual(["dbs/my db/colls/é"]);
  });
});

describe("what a client signs", () => {
  test.each([
    ["/", "", [""]],
    ["/dbs", "dbs", [""]],
    ["/dbs/D", "dbs", ["dbs/D"]],
    ["/dbs/D/colls", "colls", ["dbs/D"]],
    ["/dbs/D/colls/C/docs", "docs", ["dbs/D/colls/C"]],
    ["/dbs/D/colls/C/docs/I/", "docs", ["dbs/D/colls/C/docs/I"]],
    ["/dbs/D/colls/C/pkranges", "pkranges", ["dbs/D/colls/C"]],
    ["/dbs/D/colls/C/sprocs/S", "sprocs", ["dbs/D/colls/C/sprocs/S"]],
    ["/dbs/D/users/U/permissions", "permissions", ["dbs/D/users/U"]],
    [
      "/dbs/D/clientencryptionkeys/K",
      "clientencryptionkeys",
      ["dbs/D/clientencryptionkeys/K", "k"],
    ],
    ["/dbs/D/colls/C/operations/partitionkeydelete", "colls", ["dbs/D/colls/C"]],
    ["/dbs/D/colls/C/conflicts/X", "conflicts", ["dbs/D/colls/C/conflicts/X"]],
    ["/dbs/D/colls/C/conflicts/X/conflicts", "users", ["dbs/D/colls/C/conflicts/X"]],
    ["/offers", "offers", [""]],
    ["/offers/Ab3d", "offers", ["offers/Ab3d", "ab3d"]],
    ["//addresses/?$resolveFor=dbs%2fD%2fcolls%2fC%2fdocs", "docs", ["dbs/D/colls/C"]],
    [
      "//addresses/?$resolveFor=dbs%2FAbCdEQ%3D%3D%2Fcolls%2FAbCdEYAAAAI%3D%2Fdocs&x=1",
      "docs",
      ["dbs/AbCdEQ==/colls/AbCdEYAAAAI=", "abcdeyaaaai="],
    ],
    ["/addresses", "", [""]],
    ["/dbs/AbCdEQ==", "dbs", ["dbs/AbCdEQ==", "abcdeq=="]],
    [
      "/dbs/AbCdEQ==/colls/AbCdEYAAAAI=/pkranges/",
      "pkranges",
      ["dbs/AbCdEQ==/colls/AbCdEYAAAAI=", "abcdeyaaaai="],
    ],
    [
      "/dbs/AbCdEQ%3D%3D/colls/AbCdEYAAAAI%3D/docs",
      "docs",
      ["dbs/AbCdEQ==/colls/AbCdEYAAAAI=", "abcdeyaaaai="],
    ],
    ["/dbs/D/colls/C/docs/AAE=", "docs", ["dbs/D/colls/C/docs/AAE=", "aae="]],
  ])("%s signs %j over %j", (url, resourceType, resourceLinks) => {
    expect(parseResourcePath(url)).toMatchObject({ resourceType, resourceLinks });
  });
});

describe("links in bodies", () => {
  test.each([
    ["dbs/d/colls/c", ["dbs", "d", "colls", "c"]],
    ["/dbs/d/colls/c/docs/100%/", ["dbs", "d", "colls", "c", "docs", "100%"]],
    ["dbs/d/users/u", ["dbs", "d", "users", "u"]],
    ["dbs/d/things/c", undefined],
    ["dbs//colls/c", undefined],
    ["", undefined],
  ])("%j", (link, segments) => {
    expect(linkSegments(link)).toEqual(segments);
  });
});

describe("path properties", () => {
  const anyId = fc.string({ minLength: 1, unit: "grapheme" }).filter((id) => !id.includes("/"));

  test("the fast path answers as the general one", () => {
    const anyPlainId = fc.stringMatching(/^[a-zA-Z0-9 =+&._-]{1,12}$/);
    fc.assert(
      fc.property(anyPlainId, anyPlainId, anyPlainId, (database, container, id) => {
        for (const url of [
          `/dbs/${database}/colls/${container}/docs`,
          `/dbs/${database}/colls/${container}/docs/${id}`,
        ]) {
          // Only the general parser takes a second leading slash.
          expect(parseResourcePath(url)).toEqual(parseResourcePath(`/${url}`));
        }
      }),
    );
  });

  test("an id encoded as the SDKs do comes back", () => {
    fc.assert(
      fc.property(anyId, anyId, anyId, (database, container, id) => {
        const name = (text: string) => encodeURI(text).replaceAll("?", "%3F");
        const url = `/dbs/${name(database)}/colls/${name(container)}/docs/${encodeURI(id)}`;
        const link = `dbs/${database}/colls/${container}/docs/${id}`;
        const path = parseResourcePath(url);
        expect(path).toMatchObject({ kind: "item", database, container, id });
        expect(path?.resourceLinks[0]).toBe(link);
      }),
    );
  });

  test("no text makes the parser throw", () => {
    const anyPiece = fc.constantFrom(
      "/",
      "dbs",
      "colls",
      "docs",
      "addresses",
      "a",
      "?",
      "%",
      "%20",
      "%2",
      "=",
    );
    const anyUrl = fc.array(anyPiece, { maxLength: 14 }).map((pieces) => `/${pieces.join("")}`);
    fc.assert(
      fc.property(fc.oneof(anyUrl, fc.string()), (url) => {
        const path = parseResourcePath(url);
        if (path !== undefined) expect(path.resourceLinks.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
