/** Frames byte by byte: what is written is read back, however it is cut, and no bytes do harm. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeContext, encodeContext } from "./context.ts";
import type { RntbdFrame, WrittenToken } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import type { ComeFrame } from "./frameReader.ts";
import { FrameReader } from "./frameReader.ts";
import { requestHasBody } from "./requestFrame.ts";
import type { TokenType, TokenValue } from "./tokenType.ts";

const ACTIVITY = "00112233-4455-6677-8899-aabbccddeeff";
const LIMITS = { headBytesMax: 128 * 1024, bodyBytesMax: 4096 };

const open = (): FrameReader => new FrameReader(LIMITS, requestHasBody);

test("the first frame of a connection, byte by byte", () => {
  const frame = encodeContext({ version: "2020-07-15", userAgent: "t/1" }, ACTIVITY);
  expect(frame.toString("hex")).toBe(
    "3400000000000000" +
      "33221100554477668899aabbccddeeff" +
      "00000201000000" +
      "0100070a323032302d30372d3135" +
      "02000703742f31",
  );
  const [read] = open().push(frame);
  expect(read!.activityId).toBe(ACTIVITY);
  expect(decodeContext(read!)).toEqual({
    ok: true,
    value: { version: "2020-07-15", userAgent: "t/1" },
  });
});

const anyBytes = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));
const VALUES: Readonly<Record<TokenType, fc.Arbitrary<TokenValue>>> = {
  byte: fc.nat(255),
  ushort: fc.nat(65_535),
  ulong: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  long: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  ulongLong: fc.maxSafeNat(),
  longLong: fc.maxSafeInteger(),
  guid: fc.uuid(),
  smallString: fc.string({ unit: "grapheme", maxLength: 20 }),
  string: fc.string({ unit: "grapheme" }),
  longString: fc.string({ unit: "grapheme" }),
  smallBytes: anyBytes(255),
  bytes: anyBytes(300),
  longBytes: anyBytes(300),
  float: fc
    .float({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0)),
  double: fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
};
const anyToken: fc.Arbitrary<Omit<WrittenToken, "id">> = fc
  .constantFrom(...(Object.keys(VALUES) as TokenType[]))
  .chain((type) => VALUES[type].map((value) => ({ type, value })));
const HAS_BODY = 2;
const anyFrame = fc
  .record({
    word: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    activityId: fc.uuid(),
    tokens: fc.array(anyToken, { maxLength: 8 }),
    body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 600 }), { nil: undefined }),
  })
  .map(({ tokens, body, ...head }) => {
    const numbered = tokens.map((token, index) => ({ id: 100 + index, ...token }));
    const said: WrittenToken = { id: HAS_BODY, type: "byte", value: body === undefined ? 0 : 1 };
    return {
      head,
      tokens: [said, ...numbered],
      body: body === undefined ? undefined : Buffer.from(body),
    };
  });

describe("frames", () => {
  test("come out as they were written, cut anywhere", () => {
    const anyCuts = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 4 }), anyCuts, (frames, cuts) => {
        const bytes = Buffer.concat(
          frames.map(({ head, tokens, body }) => writeFrame({ ...head, body }, tokens)),
        );
        const reader = open();
        const read: ComeFrame[] = [];
        let at = 0;
        for (const cut of cuts) {
          // A buffer of its own, as it comes from a socket.
          read.push(...reader.push(Buffer.from(bytes.subarray(at, at + cut))));
          at += cut;
        }
        read.push(...reader.push(Buffer.from(bytes.subarray(Math.min(at, bytes.length)))));
        expect(reader.complaint).toBeUndefined();
        expect(reader.isWithin).toBe(false);
        expect(read.map(plain)).toEqual(
          frames.map(({ head, tokens, body }) => ({
            ...head,
            tokens: tokens.map(({ id, value }) => [id, value]),
            body,
          })),
        );
      }),
    );
  });

  test("that are altered or random end in frames or a complaint, never in anything else", () => {
    fc.assert(
      fc.property(anyFrame, fc.array(fc.tuple(fc.nat(400), fc.nat(255))), (frame, changes) => {
        const bytes = writeFrame({ ...frame.head, body: frame.body }, frame.tokens);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const reader = open();
        for (let at = 0; at < bytes.length; at += 7) reader.push(bytes.subarray(at, at + 7));
      }),
      { numRuns: 500 },
    );
  });
});

function plain({ word, activityId, tokens, body }: RntbdFrame): object {
  return { word, activityId, tokens: [...tokens], body };
}

/** The bytes of a head with these tokens, its length as it must be unless it is given. */
function headOf(tokens: string, length?: number): Buffer {
  const rest = Buffer.from(`${"01".repeat(4)}${"00".repeat(16)}${tokens}`, "hex");
  const start = Buffer.alloc(4);
  start.writeUInt32LE(length ?? rest.length + 4);
  return Buffer.concat([start, rest]);
}

test.each([
  ["a head of no bytes", headOf("", 0)],
  ["a head that is too short", headOf("", 23)],
  ["a head that is too long", headOf("", 128 * 1024 + 1)],
  ["a head of 4 GB", headOf("", 0xffff_ffff)],
  ["a token that ends with its id", headOf("0100")],
  ["a type that is none", headOf("01000f00")],
  ["the type for nothing", headOf("0100ff")],
  ["a text past the end", headOf("010008ff0041")],
  ["a text without its length", headOf("01000841")],
  ["a text that is no UTF-8", headOf("01000701ff")],
  ["a token twice", headOf("0100000101000001")],
  ["a body of 4 GB", Buffer.concat([headOf("02000001"), Buffer.alloc(4, 0xff)])],
])("%s: nothing is read any more", (_what, bytes) => {
  const reader = open();
  expect(reader.push(bytes)).toEqual([]);
  expect(reader.complaint).toBeDefined();
  expect(reader.push(headOf(""))).toEqual([]);
});

test("a body that is too large is let go, and what follows is read", () => {
  const body = Buffer.alloc(4097);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  const bytes = Buffer.concat([headOf("02000001"), length, body, headOf("")]);
  const reader = open();
  const read: ComeFrame[] = [];
  for (let at = 0; at < bytes.length; at += 500)
    read.push(...reader.push(bytes.subarray(at, at + 500)));
  expect(read.map(({ isTooLarge, body: come }) => [isTooLarge, come])).toEqual([
    [true, undefined],
    [false, undefined],
  ]);
});
