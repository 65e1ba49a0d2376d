/**
 * Tokens tampered with, of every kind that there is, against a running server: each is refused with
 * 400, whatever was altered, and so is every token of another conversation. Genuine ones lead on to
 * the right page all the while.
 *
 * `npm run campaign tokens` (ORRERY_TOKENS=full) alters 20,000 of them; `ORRERY_TOKENS_SEED` repeats.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { Wire } from "../http/wire.ts";
import { openWire } from "../http/wire.ts";
import type { Conversation, Told } from "./conversations.ts";
import { changesAfter, conversationsWith, fill, reshape } from "./conversations.ts";
import { complaintAbout, isAnother } from "./judging.ts";
import { TAMPERINGS } from "./tampering.ts";

const IS_FULL = process.env["ORRERY_TOKENS"] === "full";
const COUNT = IS_FULL ? 20_000 : 600;
const SEED = Number(process.env["ORRERY_TOKENS_SEED"] ?? 14);

let wire: Wire;
let conversations: readonly Conversation[];
/** In the order of the conversations. */
const tokens: string[] = [];
const rightPages: string[] = [];

beforeAll(async () => {
  wire = await openWire();
  await fill(wire);
  conversations = await conversationsWith(wire);
  for (const conversation of conversations) {
    const { status, token } = await conversation.ask();
    expect(status, conversation.name).toBe(200);
    expect(token, `${conversation.name} has no second page`).toBeTruthy();
    tokens.push(token!);
    rightPages.push((await conversation.ask(token)).page);
  }
});
afterAll(() => wire[Symbol.asyncDispose]());

async function expectGenuine(conversation: Conversation, index: number): Promise<void> {
  const { status, page } = await conversation.ask(tokens[index]);
  expect(status, `${conversation.name}: ${page}`).toBe(200);
  expect(page, conversation.name).toBe(rightPages[index]);
}

test("a genuine token leads on, as often as it is sent", async () => {
  for (const [index, conversation] of conversations.entries()) {
    await expectGenuine(conversation, index);
    const { token } = await conversation.ask();
    expect(token, `${conversation.name} gives another token for the same page`).toBe(tokens[index]);
  }
});

test("all tokens differ, and fit into a header many times over", () => {
  expect(new Set(tokens).size).toBe(tokens.length);
  for (const [index, token] of tokens.entries()) {
    expect(token.length, conversations[index]!.name).toBeLessThan(300);
  }
});

test("a token is good for its own conversation and for no other", async () => {
  const problems: string[] = [];
  for (const [from, token] of tokens.entries()) {
    for (const [to, conversation] of conversations.entries()) {
      // The full run asks all pairs, the short one every seventh.
      if (from === to || (!IS_FULL && (from + to) % 7 !== 0)) continue;
      const problem = complaintAbout(await conversation.ask(token));
      if (problem === undefined) continue;
      problems.push(`${conversations[from]!.name} → ${conversation.name}: ${problem}`);
    }
  }
  expect(problems).toEqual([]);
});

test(`altered tokens are refused: ${COUNT} of them, seed ${SEED}`, async () => {
  const random = seededRandom(SEED);
  const problems: string[] = [];
  let altered = 0;
  for (let turn = 0; altered < COUNT; turn++) {
    const index = turn % conversations.length;
    const conversation = conversations[index]!;
    const round = Math.floor(turn / conversations.length);
    if (round % conversation.weight !== 0) continue;
    const tampering = TAMPERINGS[(round / conversation.weight + index) % TAMPERINGS.length]!;
    const sent = tampering.alter(tokens[index]!, random, tokens);
    if (!isAnother(conversation, tokens[index]!, sent)) continue;
    altered++;
    // The position of a change feed that is a plain number is one that anybody may name.
    if (/^"?\d{1,15}"?$/.test(sent.trim())) continue;
    const problem = complaintAbout(await conversation.ask(sent));
    if (problem !== undefined) {
      problems.push(`${conversation.name}, ${tampering.name}: ${sent} → ${problem}`);
    }
    if (altered % 50 === 0) await expectGenuine(conversation, index);
  }
  expect(problems).toEqual([]);
});

test("genuine tokens lead on after ranges were merged and split", async () => {
  await reshape(wire);
  for (const [index, conversation] of conversations.entries()) {
    const { status, page } = await conversation.ask(tokens[index]);
    const isGone = conversation.name.startsWith("a read feed by") && status === 410;
    if (isGone) continue;
    expect(status, `${conversation.name}: ${page}`).toBe(200);
    if (!conversation.name.startsWith("the change feed")) {
      expect(page, conversation.name).toBe(rightPages[index]);
    }
  }
});

describe("a plain LSN", () => {
  test("is a position: exactly what changed after it, and 400 where no log has come", async () => {
    const all = changesIn(await changesAfter(wire, '"0"'));
    expect(all.length).toBeGreaterThan(5);
    const end = Math.max(...all);
    for (let lsn = 0; lsn <= end; lsn++) {
      for (const etag of [`"${lsn}"`, `${lsn}`]) {
        const told = await changesAfter(wire, etag);
        expect(changesIn(told)).toEqual(all.filter((change) => change > lsn));
      }
    }
    for (const lsn of [end + 1_000_000, 1e15 - 1, 1e15]) {
      expect((await changesAfter(wire, `"${lsn}"`)).status).toBe(400);
    }
  });
});

function changesIn({ status, page }: Told): readonly number[] {
  if (status === 304) return [];
  const { Documents: rows } = JSON.parse(page) as { Documents: { _lsn: number }[] };
  return rows.map(({ _lsn: lsn }) => lsn);
}

describe("the campaign itself", () => {
  test.each<readonly [string, (token: string) => Told]>([
    ["looks at no signature", () => ({ status: 200, page: "{}", token: undefined })],
    ["fails", () => ({ status: 500, page: "{}", token: undefined })],
    ["says nothing", () => ({ status: 400, page: '{"message":"no"}', token: undefined })],
    ["begins anew", () => ({ status: 200, page: rightPages[0]!, token: tokens[0] })],
  ])("finds a server that %s", (_what, ask) => {
    const random = seededRandom(1);
    for (const { alter } of TAMPERINGS) {
      const sent = alter(tokens[0]!, random, tokens);
      if (isAnother(conversations[0]!, tokens[0]!, sent)) {
        expect(complaintAbout(ask(sent))).toBeTruthy();
      }
    }
  });

  test("alters every token in every way", () => {
    for (const { name, alter } of TAMPERINGS) {
      const changes = conversations.filter((conversation, index) =>
        Array.from({ length: 20 }, (_, seed) =>
          alter(tokens[index]!, seededRandom(seed), tokens),
        ).some((sent) => isAnother(conversation, tokens[index]!, sent)),
      );
      expect(changes.length, name).toBeGreaterThan(conversations.length / 4);
    }
  });
});
