/** What the explorer has around a container: settings, scripts, change feed, deletions. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

describeInBrowser("a container", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    const { container } = await database.containers.create({ id: "orders", partitionKey: "/pk" });
    for (let at = 0; at < 6; at++) await container.items.create({ id: `o${at}`, pk: "a", n: at });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("items are shown before they are deleted, and a changed one is left", async () => {
    await using tab = await stage.tab({ colorScheme: "dark" });
    await tab.open("explorer/shop/orders/delete?where=c.n+%3E+3");
    const { page } = tab;
    await page.getByRole("button", { name: "Show what would be deleted" }).click();
    await page.getByText("2 items", { exact: true }).waitFor();
    await page.getByText(/an estimate from 6 items of the whole container/).waitFor();
    const orders = stage.client.database("shop").container("orders");
    await orders.items.upsert({ id: "o5", pk: "a", n: 50 });
    await page.getByRole("button", { name: "Delete 2 items…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete 2 items" }).click();
    await page.getByText(/Left, because they were changed/).waitFor();
    await page.getByText(/^1 of 2 items deleted/).waitFor();
    expect((await orders.item("o5", "a").read()).resource.n).toBe(50);
    expect((await orders.item("o4", "a").read()).statusCode).toBe(404);
    await tab.expectAccessible();
  });

  test("settings that somebody else saved during an edit are shown, not lost", async () => {
    await using tab = await stage.tab({ colorScheme: "dark" });
    await tab.open("explorer/shop/orders/settings");
    const { page } = tab;
    await page.getByRole("radio", { name: "On, in seconds" }).check();
    await page.getByLabel("Seconds after the last change").fill("3600");
    const orders = stage.client.database("shop").container("orders");
    const { resource } = await orders.read();
    await orders.replace({ ...resource!, defaultTtl: 77 });
    await page.getByRole("button", { name: "Review the changes…" }).click();
    const review = page.getByRole("dialog");
    await review.getByText('+   "defaultTtl": 3600,').waitFor();
    await tab.picture("container-review-dark");
    await tab.expectAccessible();
    await review.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("Somebody changed the settings meanwhile.").waitFor();
    await page.getByText('≠   "defaultTtl": 77,').waitFor();
    expect((await orders.read()).resource!.defaultTtl).toBe(77);
    await tab.picture("container-conflict-dark");
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.getByText("Saved the settings.").first().waitFor({ state: "attached" });
    expect((await orders.read()).resource!.defaultTtl).toBe(3600);
  });

  test("the rate is changed, and the kind of throughput, which asks once", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders/settings");
    const { page } = tab;
    await page.getByLabel("RU/s", { exact: true }).fill("700");
    await page.getByRole("button", { name: "Change the rate" }).click();
    await page.getByText("Type another rate.").waitFor();
    const orders = stage.client.database("shop").container("orders");
    expect((await orders.readOffer()).resource!.content!.offerThroughput).toBe(700);
    await using beside = await stage.tab();
    await beside.open("partitions/shop/orders");
    const events = beside.page.getByRole("list", { name: "Events" });
    await events.getByText("rate 400 → 700 RU/s").waitFor();
    await page.getByRole("button", { name: "Change to autoscale…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Change to autoscale" }).click();
    await page.getByRole("heading", { name: "Throughput, autoscale" }).waitFor();
    await page.getByLabel("RU/s at most").fill("2000");
    await page.getByRole("button", { name: "Change the rate" }).click();
    await page.getByText("Type another rate.").waitFor();
    await page.getByRole("button", { name: "Change to manual throughput…" }).click();
    await page.getByRole("button", { name: "Change to manual throughput", exact: true }).click();
    await page.getByRole("heading", { name: "Throughput, manual" }).waitFor();
    expect((await orders.readOffer()).resource!.content!.offerAutopilotSettings).toBeUndefined();
  });

  test("the tail begins where it is told to, also after a reload", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders/feed?from=beginning");
    const { page } = tab;
    const changes = page.getByText(/^[1-9]\d* changes read/);
    await changes.waitFor();
    const read = await changes.textContent();
    for (let round = 0; round < 2; round++) {
      await page.reload();
      await changes.waitFor();
      expect(await changes.textContent()).toBe(read);
    }
  });

  test("an index that a plan advised is in the policy, and nothing is saved unseen", async () => {
    await using tab = await stage.tab();
    const advised = encodeURIComponent(JSON.stringify(["composite", "/pk ASC", "/n DESC"]));
    await tab.open(`explorer/shop/orders/settings?index=${advised}`);
    const { page } = tab;
    await page.getByText("The index /pk ASC, /n DESC is in the policy below.").waitFor();
    await page.getByRole("button", { name: "Review the changes…" }).click();
    await page.getByRole("dialog").getByText('"order": "descending"').waitFor();
    const orders = stage.client.database("shop").container("orders");
    expect((await orders.read()).resource!.indexingPolicy!.compositeIndexes).toBeUndefined();
    await page.getByRole("button", { name: "Save the settings" }).click();
    await page.getByText("Saved the settings.").first().waitFor({ state: "attached" });
    expect((await orders.read()).resource!.indexingPolicy!.compositeIndexes).toHaveLength(1);
    expect(new URL(page.url()).search).toBe("");
  });

  test.each(["settings", "scripts", "feed"])("%s is accessible, and fits a phone", async (view) => {
    await using tab = await stage.tab({ viewport: { width: 360, height: 2400 } });
    await tab.open(`explorer/shop/orders/${view}`);
    await tab.page.locator(".workPane h2").first().waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture(`container-${view}-360`);
  });
});
