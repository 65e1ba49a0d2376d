/**
 * Frames that Java's SDK sent in direct mode, with its default options: one of each kind, as the
 * programme of `test/sdks/java` made them. They are read however they are cut, ask for what the
 * programme asked for, and come out byte for byte when they are written again by our tables.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { decodeContext } from "../../src/protocol/rntbd/context.ts";
import type { TokenForm } from "../../src/protocol/rntbd/frame.ts";
import { HEAD_BYTES_MIN, writeFrame } from "../../src/protocol/rntbd/frame.ts";
import type { ComeFrame } from "../../src/protocol/rntbd/frameReader.ts";
import { FrameReader } from "../../src/protocol/rntbd/frameReader.ts";
import { decodeRequestFrame, requestHasBody } from "../../src/protocol/rntbd/requestFrame.ts";
import { HEADER_TOKENS, REQUEST_TOKEN } from "../../src/protocol/rntbd/requestTokens.ts";
import type { TokenType } from "../../src/protocol/rntbd/tokenType.ts";
import { readValue, TYPE_CODES } from "../../src/protocol/rntbd/tokenType.ts";

const { frames } = JSON.parse(
  readFileSync(new URL("javaFrames.json", import.meta.url), "utf8"),
) as { readonly frames: readonly string[] };
const [GREETING, ...REQUESTS] = frames.map((text) => Buffer.from(text, "base64"));
const LIMITS = { headBytesMax: 128 * 1024, bodyBytesMax: 2 * 1024 * 1024 };
const FORMS = new Map<number, TokenForm>(
  [...HEADER_TOKENS, ...Object.values(REQUEST_TOKEN)].map((form) => [form.id, form]),
);
const TYPES = new Map([...TYPE_CODES].map(([type, code]) => [code, type]));

function readAll(pieces: readonly Buffer[]): readonly ComeFrame[] {
  const reader = new FrameReader(LIMITS, requestHasBody);
  const come = pieces.flatMap((piece) => reader.push(piece));
  expect([reader.complaint, reader.isWithin]).toEqual([undefined, false]);
  return come;
}

/** By our table where it has the token, else by the type that the client wrote. */
function formsIn(frame: Buffer): readonly TokenForm[] {
  const forms: TokenForm[] = [];
  const end = frame.readUInt32LE(0);
  for (let at = HEAD_BYTES_MIN; at < end; ) {
    const [id, code] = [frame.readUInt16LE(at), frame[at + 2]!];
    forms.push(FORMS.get(id) ?? { id, type: TYPES.get(code) as TokenType });
    at = readValue(code, frame, at + 3)!.end;
  }
  return forms;
}

test("the greeting says who speaks", () => {
  const [head] = new FrameReader(LIMITS, () => false).push(GREETING!);
  const facts = decodeContext(head!);
  expect(facts.ok && facts.value.version).toBe("2020-07-15");
  expect(facts.ok && facts.value.userAgent).toMatch(/^azsdk-java-cosmos\/4\.83\.0 /);
});

test.each([1, 2, 3, 4, 5])("they are read however they are cut, seed %i", (seed) => {
  const random = seededRandom(seed);
  const stream = Buffer.concat(REQUESTS);
  const pieces: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = at + 1 + Math.floor(random.next() ** 3 * 2000);
    pieces.push(stream.subarray(at, end));
    at = end;
  }
  expect(readAll(pieces)).toEqual(REQUESTS.flatMap((frame) => readAll([frame])));
});

describe.each(REQUESTS.map((bytes, index) => ({ index, bytes })))("frame $index", ({ bytes }) => {
  test("is written again byte for byte", () => {
    const [frame] = readAll([bytes]);
    const written = formsIn(bytes).map((form) => ({
      ...form,
      value: frame!.tokens.get(form.id)!,
    }));
    expect(writeFrame(frame!, written).equals(bytes)).toBe(true);
  });
});

test("they ask for what the programme asked for", () => {
  const facts = { version: "2020-07-15", userAgent: "" };
  const asked = REQUESTS.flatMap((bytes) => readAll([bytes])).map((frame) => {
    const read = decodeRequestFrame(frame, facts);
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    const { method, path, headers, body } = read.value;
    const words = Object.entries(WORDS).filter(([name]) => headers[name] !== undefined);
    const [, , ...within] = path.segments;
    const what = [method, within.join("/"), ...words.map(([, word]) => word)];
    return [...what, ...(body.length > 0 ? ["body"] : [])].join(" ");
  });
  expect(asked).toEqual(ASKED);
});

/** Headers that make another request of the same method and path. */
const WORDS: Readonly<Record<string, string>> = {
  "x-ms-documentdb-isquery": "query",
  "x-ms-documentdb-is-upsert": "upsert",
  "x-ms-cosmos-is-batch-request": "batch",
  "a-im": "changes",
  "if-match": "if-match",
  "if-none-match": "if-none-match",
  "x-ms-documentdb-partitionkeyrangeid": "of-range",
  "x-ms-continuation": "further",
};

const ASKED: readonly string[] = [
  "GET ",
  "POST colls/tree/docs body",
  "GET colls/tree/docs/b",
  "POST colls/tree/docs query of-range body",
  "POST colls/items/docs upsert body",
  "PUT colls/items/docs/u body",
  "PUT colls/items/docs/u if-match body",
  "DELETE colls/items/docs/u",
  "PATCH colls/items/docs/i0 body",
  "POST colls/items/docs query body",
  "POST colls/items/docs query of-range body",
  "POST colls/items/docs query of-range further body",
  "POST colls/items/docs query of-range body",
  "POST colls/items/docs batch body",
  "GET colls/items/docs changes of-range",
  "GET colls/items/docs changes if-none-match of-range",
  "GET colls/items/docs changes if-none-match",
  "POST colls/items/docs body",
  "GET colls/items/docs changes",
  "POST colls/items/sprocs/make body",
  "GET colls/items/docs/i1",
];
