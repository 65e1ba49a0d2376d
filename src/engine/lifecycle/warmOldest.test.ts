/** Of which date the oldest item of warm is, for the alert that an archive is overdue. */
import { expect, it } from "vitest";
import { DAY_MS, DAY_SECONDS } from "../../base/units.ts";
import { begun, entryOf, lifecycleStage, write } from "./lifecycleStage.fake.ts";

/** More than a page of terms. */
const UNDATED_COUNT = 1100;

it("is found behind any number of texts that are no dates", async () => {
  const { account, time, warm } = await lifecycleStage();
  for (let at = 0; at < UNDATED_COUNT; at++) {
    await write(account, warm, `us${at}`, { date: "01/02/2024" });
  }
  const now = time.clock.wallNow();
  await write(account, warm, "old", { date: new Date(now - 400 * DAY_MS).toISOString() });
  await write(account, warm, "younger", { date: Math.floor(now / 1000) - 300 * DAY_SECONDS });
  await begun(account, { archiveAfterSeconds: DAY_SECONDS });
  await time.advance(1000);
  expect((await entryOf(account)).warmOldestAt).toBe(now - 400 * DAY_MS);
});

it("is not there while nothing has a date", async () => {
  const { account, time, warm } = await lifecycleStage();
  await write(account, warm, "us", { date: "01/02/2024" });
  await begun(account, { archiveAfterSeconds: DAY_SECONDS });
  await time.advance(1000);
  expect((await entryOf(account)).warmOldestAt).toBeUndefined();
});
