/**
 * Writers on the account of `subject.ts`, each with items of its own, and now and then a split or a
 * merge. Everything that is begun, and everything that was promised, is noted at that moment.
 */
import { assert } from "../../src/base/assert.ts";
import type { Random } from "../../src/base/world.ts";
import type { Account } from "../../src/engine/account.ts";
import type { ReshapeRequest } from "../../src/engine/reshape/reshapePlan.ts";
import type { LedgerLine } from "./ledger.ts";
import { itemName, itemOf } from "./ledger.ts";
import { containerIn } from "./subject.ts";

const WRITER_COUNT = 4;
const ITEMS_PER_WRITER = 12;
/** So many writes lie between two splits or merges. */
const RESHAPE_EVERY = 90;
const DELETED_SHARE = 0.2;

interface Drive {
  readonly random: Random;
  readonly writeCount: number;
  note(line: LedgerLine): void;
}

export async function drive(account: Account, plan: Drive): Promise<void> {
  let begun = 0;
  const write = async (writer: number): Promise<void> => {
    while (begun < plan.writeCount) {
      const sequence = ++begun;
      await writeOne(account, plan, writer, sequence);
      if (sequence % RESHAPE_EVERY === 0) await reshape(account, plan);
    }
  };
  await Promise.all(Array.from({ length: WRITER_COUNT }, (_, writer) => write(writer)));
}

async function writeOne(
  account: Account,
  { random, note }: Drive,
  writer: number,
  sequence: number,
): Promise<void> {
  const place = placeOf(random);
  const item = itemName(place, writer * ITEMS_PER_WRITER + pick(random, ITEMS_PER_WRITER));
  const isDelete = random.next() < DELETED_SHARE;
  const version = isDelete ? null : sequence;
  const body = itemOf(item, sequence, random);
  note({ kind: "begin", item, sequence: version });
  const written = account.writeItem(
    containerIn(account, place)!,
    isDelete
      ? { kind: "delete", key: [body.pk], id: body.id }
      : { kind: "upsert", key: [body.pk], body },
  );
  assert(written.ok, "a well-formed write was refused");
  const outcome = await written.value;
  const isGone = isDelete && outcome.kind === "refused" && outcome.refusal.kind === "notFound";
  assert(outcome.kind !== "refused" || isGone, `a write was refused: ${JSON.stringify(outcome)}`);
  note({ kind: "done", item, sequence: version });
}

/** Asks for it, and does not wait for it. */
async function reshape(account: Account, { random, note }: Drive): Promise<void> {
  const container = containerIn(account, placeOf(random))!;
  const { entries } = container.map;
  const at = pick(random, entries.length);
  const right = entries[at + 1];
  const request: ReshapeRequest =
    right !== undefined && entries.length > 2
      ? { kind: "merge", partitionIds: [entries[at]!.id, right.id] }
      : { kind: "split", partitionId: entries[at]!.id, at: "middle" };
  const answer = await account.reshaping.accept(container, request);
  if (answer.ok) note({ kind: "job", id: answer.value.id });
}

function placeOf(random: Random): string {
  return pick(random, 2) === 0 ? "plain" : "kept";
}

function pick(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}
