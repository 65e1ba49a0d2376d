/** Answers as frames, byte by byte where a client would fall over anything else. */
import { expect, test } from "vitest";
import { lsn, ru } from "../../base/units.ts";
import { itemAnswer, refusalAnswer } from "../answer/answers.ts";
import type { WireAnswer } from "../wire/wire.ts";
import type { ReadAnswer } from "./answerFrame.ts";
import { answerHasBody, decodeAnswerFrame, encodeAnswerFrame } from "./answerFrame.ts";
import { FrameReader } from "./frameReader.ts";

const ACTIVITY = "00112233-4455-6677-8899-aabbccddeeff";
const TERMS = { requestId: 7, activityId: ACTIVITY, replica: { rangeId: "3", lsn: 9 } };
const LIMITS = { headBytesMax: 1 << 20, bodyBytesMax: 1 << 20 };
const SERVED = {
  owner: { rid: "AAAAAIAAAAE=", link: "dbs/d%20d/colls/c" },
  rangeId: "5",
  lsn: lsn(12),
  charge: ru(1.5),
};

function read(answer: WireAnswer): ReadAnswer {
  const [frame] = new FrameReader(LIMITS, answerHasBody).push(encodeAnswerFrame(answer, TERMS));
  return decodeAnswerFrame(frame!);
}

test("an answer says which request it is to before anything else", () => {
  const frame = encodeAnswerFrame(itemAnswer(204, ACTIVITY, SERVED, {}), TERMS);
  expect(frame.readUInt32LE(0)).toBe(frame.length);
  expect(frame.readUInt32LE(4)).toBe(204);
  expect(frame.toString("hex", 8, 36)).toBe(
    "33221100554477668899aabbccddeeff" + "00000000" + "35000207000000" + "13",
  );
});

test("an answer about an item has the state of its range, and names as they are", () => {
  const answer = itemAnswer(200, ACTIVITY, SERVED, {
    etag: '"e"',
    itemLsn: lsn(11),
    body: Buffer.from("{}"),
  });
  expect(read(answer)).toEqual({
    status: 200,
    requestId: 7,
    replica: { rangeId: "5", lsn: 12 },
    body: Buffer.from("{}"),
    headers: {
      "x-ms-activity-id": ACTIVITY,
      etag: '"e"',
      "x-ms-request-charge": "1.5",
      "x-ms-content-path": "AAAAAIAAAAE=",
      "x-ms-alt-content-path": "dbs/d d/colls/c",
      "x-ms-documentdb-partitionkeyrangeid": "5",
      "x-ms-session-token": "5:0#12",
      "x-ms-item-lsn": "11",
    },
  });
});

test("an answer that names no range has the state of the replica that was asked", () => {
  const { replica, headers } = read(
    refusalAnswer({ kind: "throttled", retryAfterMs: 4 }, ACTIVITY),
  );
  expect(replica).toEqual({ rangeId: "3", lsn: 9 });
  expect(headers).toMatchObject({ "x-ms-retry-after-ms": "4", "x-ms-substatus": "3200" });
});

test("an LSN is never zero: clients take that for a replica that is not there yet", () => {
  const answer = itemAnswer(200, ACTIVITY, { ...SERVED, lsn: lsn(0) }, {});
  expect(read(answer).replica.lsn).toBe(1);
});

test.each([204, 304])("%i has no body", (status) => {
  const frame = encodeAnswerFrame({ status, headers: [], body: Buffer.from("x") }, TERMS);
  expect(frame.readUInt32LE(0)).toBe(frame.length);
});

test("what does not fit into a token is left out where an answer is whole without it", () => {
  const long = "x".repeat(70_000);
  const headers = ["x-ms-documentdb-query-metrics", long, "etag", '"e"'];
  expect(read({ status: 200, headers }).headers).toMatchObject({ etag: '"e"' });
});
