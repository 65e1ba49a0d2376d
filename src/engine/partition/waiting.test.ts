/** What waits for its turn: what it needs, what it comes to, and what whoever waits is told. */
import { describe, expect, test } from "vitest";
import type { Lsn } from "../../base/units.ts";
import { lsn, ru } from "../../base/units.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import type { Account } from "../account.ts";
import type { BatchOperation, WriteCommand } from "../item/itemCommand.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import { WriteBatch } from "../item/writeBatch.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { Step } from "../simulatedRequests.fake.ts";
import { operationsOf } from "../simulatedRequests.fake.ts";
import type { Container } from "./container.ts";
import type { Waiting } from "./waiting.ts";
import { waitingCommand, waitingTransaction } from "./waiting.ts";

const STANDING = { lsn: lsn(41), rangeId: "7" };
const TERMS = { caller: HIGH_CALLER, consistency: "session", answerBytesMax: 1e6 } as const;

describe("what waits", () => {
  test("names the items it is about, and counts the bytes that it brings", async () => {
    const { operations } = await opened([
      ["create", "a", { text: "x".repeat(100) }],
      ["read", "b"],
      ["delete", "a"],
    ]);
    const [create, readB] = operations;
    const alone = waitingCommand(create as WriteCommand, HIGH_CALLER, ignore, ignore);
    expect(alone.keys).toEqual([itemKeyOf(create!.epk, "a")]);
    expect(alone.bytes).toBeGreaterThan(100);
    const together = waitingTransaction(operations, TERMS, ignore, ignore);
    expect(together.keys).toEqual([alone.keys[0], itemKeyOf(readB!.epk, "b"), alone.keys[0]]);
    expect([together.epk, together.bytes]).toEqual([alone.epk, alone.bytes]);
  });
});

describe("a verdict", () => {
  test.each<[rule: string, step: Step, hasWritten: boolean, told: object]>([
    ["of what was done", ["create", "a"], true, { kind: "created", itemLsn: 40, lsn: 41 }],
    ["of what was refused", ["delete", "a"], false, { kind: "refused", lsn: 41, rangeId: "7" }],
  ])(
    "%s tells the LSN that it has, and where the partition stands",
    async (_rule, step, hasWritten, told) => {
      const { batch, operations } = await opened([step]);
      const answers: unknown[] = [];
      const answer = (outcome: unknown): number => answers.push(outcome);
      const waiting = waitingCommand(operations[0] as WriteCommand, HIGH_CALLER, answer, ignore);
      const verdict = await waiting.prepare(batch);
      expect([verdict.hasWritten, batch.groups.length]).toEqual([hasWritten, hasWritten ? 1 : 0]);
      expect(answers).toEqual([]);
      verdict.tell(STANDING, lsn(40));
      expect(answers).toMatchObject([{ ...told, charge: verdict.charge }]);
    },
  );

  test.each<[rule: string, steps: readonly Step[], hasWritten: boolean, kind: string]>([
    [
      "that wrote",
      [
        ["create", "a"],
        ["create", "b"],
      ],
      true,
      "committed",
    ],
    [
      "that wrote nothing",
      [
        ["create", "a"],
        ["delete", "a"],
      ],
      false,
      "committed",
    ],
    [
      "that was undone",
      [
        ["create", "a"],
        ["read", "x"],
      ],
      false,
      "rolledBack",
    ],
  ])("of a transaction %s says so", async (_rule, steps, hasWritten, kind) => {
    const { batch, operations } = await opened(steps);
    const answers: unknown[] = [];
    const answer = (outcome: unknown): number => answers.push(outcome);
    const verdict = await waitingTransaction(operations, TERMS, answer, ignore).prepare(batch);
    expect([verdict.hasWritten, batch.groups.length]).toEqual([hasWritten, hasWritten ? 1 : 0]);
    verdict.tell(STANDING, lsn(40));
    expect(answers).toMatchObject([{ kind, ...STANDING, charge: verdict.charge }]);
    expect(answers).not.toMatchObject([{ hasWritten }]);
  });
});

test("whoever cannot have his turn is told why, and what it cost", async () => {
  const { operations } = await opened([["delete", "a"]]);
  const answers: unknown[] = [];
  const answer = (outcome: unknown): number => answers.push(outcome);
  const command = operations[0] as WriteCommand;
  const all: readonly Waiting[] = [
    waitingCommand(command, HIGH_CALLER, answer, ignore),
    waitingTransaction(operations, TERMS, answer, ignore),
  ];
  const refusal = { kind: "throttled", retryAfterMs: 5 } as const;
  for (const waiting of all) waiting.refuse(refusal, ru(0.38), STANDING);
  const told = { kind: "refused", refusal, charge: 0.38, ...STANDING };
  expect(answers).toEqual([told, told]);
});

const ignore = (): void => undefined;

/** Operations, and a batch of a physical partition that has nothing. */
async function opened(
  steps: readonly Step[],
): Promise<{ readonly operations: readonly BatchOperation[]; readonly batch: WriteBatch }> {
  const { account, store } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  const operations = operationsOf(account, container, steps);
  return { operations, batch: batchOn(account, container, store) };
}

function batchOn(
  { limits }: Account,
  container: Container,
  store: ConstructorParameters<typeof WriteBatch>[0]["store"],
): WriteBatch {
  let number = 0;
  const stamping = {
    nextNumber: () => ++number,
    nextEtag: () => "00000000-0000-0000-0000-000000000000",
    wallNow: 1_700_000_000_000,
  };
  const head: { readonly lsn: Lsn; readonly itemBytes: number } = { lsn: lsn(39), itemBytes: 0 };
  const { part } = container.map.entries[0]!;
  const setting = { container, store, limits, part, head, stamping, isLive: () => true };
  return new WriteBatch(setting);
}
