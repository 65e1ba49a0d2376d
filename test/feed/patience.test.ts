/**
 * What the official client does when physical partitions change in the middle of a round, and that
 * readers get over it: nothing is lost by going on from the last continuation.
 */
import type { Container, Plugin } from "@azure/cosmos";
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { merge, rangeIds, split } from "../sdk/inside.ts";
import type { Stage } from "../sdk/stage.ts";
import { clientOf, openContainer, openStage } from "../sdk/stage.ts";
import type { FeedRow } from "./feedRow.ts";
import { patientOptions, withPatience } from "./patience.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const KEY_COUNT = 30;

/** What becomes of the two physical partitions that there are. */
const CHANGES: readonly [string, (container: Container) => Promise<unknown>][] = [
  [
    "are merged",
    async (container) => {
      const [one, other] = await rangeIds(stage.server, container);
      await merge(stage.server, container, one!, other!);
    },
  ],
  [
    "are both split",
    async (container) => {
      for (const partitionId of await rangeIds(stage.server, container)) {
        await split(stage.server, container, { partitionId });
      }
    },
  ],
];

test.each(CHANGES)("two ranges %s within a round", async (_, change) => {
  const container = await openContainer(stage.database);
  const write = (n: number) =>
    Promise.all(
      Array.from({ length: KEY_COUNT }, (_key, index) =>
        container.items.upsert({ id: "item", pk: `k${index}`, n }),
      ),
    );
  await write(1);
  await split(stage.server, container);

  let isDue = false;
  const changing: Plugin<unknown> = async (context, _diagnosticNode, next) => {
    const answer = await next(context);
    const isFeed = context.headers?.["A-IM"] !== undefined;
    if (!isFeed || !isDue) return answer;
    isDue = false;
    await change(container);
    return answer;
  };
  const client = clientOf(stage.server, patientOptions(changing));
  const follow = (changeFeedStartFrom: ChangeFeedStartFrom) =>
    client
      .database(stage.database.id)
      .container(container.id)
      .items.getChangeFeedIterator<FeedRow>({ changeFeedStartFrom });

  const iterator = follow(ChangeFeedStartFrom.Beginning());
  let page = await iterator.readNext();
  while (page.statusCode !== 304) page = await iterator.readNext();
  isDue = true;
  const stuck = await withPatience(() => iterator.readNext());
  expect(stuck, "rounds end by now: patience is no longer needed").toBeUndefined();

  await write(2);
  const again = follow(ChangeFeedStartFrom.Continuation(page.continuationToken));
  const seen: unknown[] = [];
  for (;;) {
    const next = await again.readNext();
    if (next.statusCode === 304) break;
    seen.push(...next.result.map((row) => ("pk" in row ? `${row.pk} ${row.n}` : row)));
  }
  const expected = Array.from({ length: KEY_COUNT }, (_key, index) => `k${index} 2`);
  expect(seen.toSorted()).toEqual(expected.toSorted());
  client.dispose();
});
