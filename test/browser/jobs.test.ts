/**
 * Jobs: a copy to another key from the page, planned, started, verified, cut over and reverted; the
 * cut-over by keyboard alone. Then how the page looks in both themes and on a phone.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const PATIENCE = { timeout: 20_000 };

describeInBrowser("jobs", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    await database.containers.create({ id: "orders", partitionKey: "/customerId" });
    const orders = database.container("orders");
    for (let index = 0; index < 30; index++) {
      await orders.items.create({
        id: `o${index}`,
        customerId: `c${index % 3}`,
        item: `i${index}`,
      });
    }
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const focusedName = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent ?? "");

  const tabTo = async (page: Page, name: RegExp): Promise<void> => {
    for (let count = 0; count < 60 && !name.test(await focusedName(page)); count++) {
      await page.keyboard.press("Tab");
    }
    expect(await focusedName(page)).toMatch(name);
  };

  test("without a job, the page says how to start one", async () => {
    await using tab = await stage.tab();
    await tab.open("jobs");
    await tab.page.getByText("Nothing is being changed").waitFor();
    await tab.expectAccessible();
    await tab.picture("jobs-empty");
    await tab.page.getByRole("button", { name: "Start a copy…" }).click();
    await tab.page.getByRole("heading", { level: 1, name: "Jobs: start a copy" }).waitFor();
  });

  test("what is wrong with a form is said at its field", async () => {
    await using tab = await stage.tab();
    await tab.open("jobs/new?source=shop/orders&target=shop/orders2&key=item");
    await tab.page.getByRole("button", { name: "Plan the copy" }).click();
    await tab.page.getByRole("alert").getByText("At character").waitFor();
    expect(tab.sent.filter((sent) => sent.startsWith("POST /_orrery/v1/copies"))).toEqual([]);
  });

  test("a plan with something in the way cannot be started", async () => {
    await using tab = await stage.tab();
    await tab.open("jobs/new?source=shop/orders&target=shop/orders2&key=/nowhere");
    await tab.page.getByRole("button", { name: "Plan the copy" }).click();
    const start = tab.page.getByRole("button", { name: "Start the copy" });
    await start.waitFor(PATIENCE);
    expect(await start.getAttribute("aria-disabled")).toBe("true");
    await tab.page.reload();
    await start.waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("jobs-plan-obstacle");
  });

  test("a copy is planned, started, verified, cut over by keyboard, and reverted", async () => {
    await using tab = await stage.tab();
    await tab.open("jobs/new");
    const { page } = tab;
    await page.getByLabel("Source").selectOption("shop/orders");
    expect(await page.getByLabel("Target").inputValue()).toMatch(/^shop\/orders-/);
    await page.getByLabel("Target").fill("shop/orders2");
    await page.getByLabel("New key").fill("/item");
    await page.getByRole("button", { name: "Plan the copy" }).click();
    await page.getByText("nothing in the way").waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("jobs-plan");
    await page.getByRole("button", { name: "Start the copy" }).click();
    await page.getByText("Everything is copied. Verify").waitFor(PATIENCE);
    const cutOver = page.getByRole("button", { name: "Cut over shop/orders…" });
    expect(await cutOver.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Verify the copy" }).click();
    await page.getByText("complete and verified").waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("jobs-ready");

    await page.locator("main").focus();
    await tabTo(page, /^Cut over shop\/orders…$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Cut over shop/orders?" }).waitFor();
    await page.getByLabel("Type shop/orders to cut over").waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName), PATIENCE)
      .toBe("INPUT");
    await page.keyboard.type("shop/order");
    await page.keyboard.press("Enter");
    await tab.expectAccessible();
    await tab.picture("jobs-question");
    expect(tab.sent.filter((sent) => sent.endsWith("/cutOver"))).toEqual([]);
    await page.keyboard.type("s");
    await page.keyboard.press("Enter");
    await page.getByText("The copy is the container now").waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("jobs-switched");
    const orders = stage.client.database("shop").container("orders");
    const { resource } = await orders.read();
    expect(resource?.partitionKey?.paths).toEqual(["/item"]);

    await page.getByRole("button", { name: "Revert…" }).click();
    await page.getByRole("button", { name: "Revert the cut-over" }).click();
    await page.getByText("The cut-over was taken back").waitFor(PATIENCE);
    const { resource: reverted } = await orders.read();
    expect(reverted?.partitionKey?.paths).toEqual(["/customerId"]);
    await tab.picture("jobs-reverted");
  });

  test("the list has the jobs, keeps its filter over a reload, and opens one by keyboard", async () => {
    await using tab = await stage.tab();
    await tab.open("jobs?state=ended");
    const { page } = tab;
    const grid = page.getByRole("grid", { name: "Jobs" });
    await grid.getByRole("row", { name: /reverted/ }).waitFor();
    await page.getByRole("radio", { name: /At work/ }).check();
    await page.getByText("jobs is in this state").waitFor();
    await page.reload();
    await page.getByText("jobs is in this state").waitFor();
    await page.getByRole("button", { name: "Show all jobs" }).click();
    await grid.getByRole("row", { name: /reverted/ }).waitFor();
    await grid.getByRole("link", { name: /copy to \/item/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /copy to \/item/ }).waitFor();
    await page.getByRole("list", { name: "Phases of the copy" }).waitFor();
  });

  test("a lifecycle is planned, started, changed and stopped", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    const hot = { id: "current", partitionKey: "/k", defaultTtl: 90 * 86_400 };
    const news = stage.client.database("shop");
    await news.containers.create(hot);
    await news.container("current").items.create({ id: "old", k: "1", date: "2020-01-01" });
    await news.container("current").items.create({ id: "<b>", k: "1", date: "<b>never</b>" });
    await tab.open("jobs/new/lifecycle?hot=shop/current&warm=shop/history&create=yes&date=date");
    await page.getByRole("button", { name: "Plan the lifecycle" }).click();
    await page.getByText("Write the path of the date").waitFor();
    await page.getByLabel("Path of the date").fill("/date");
    await page.getByRole("button", { name: "Plan the lifecycle" }).click();
    await page.getByText("nothing in the way").waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("jobs-lifecycle-plan");
    await page.getByRole("button", { name: "Start the lifecycle" }).click();
    await page
      .getByRole("heading", { level: 1, name: /lifecycle, shop\/current/ })
      .waitFor(PATIENCE);
    const moved = page.getByText("1 item moved so far");
    await moved.waitFor(PATIENCE);
    await page.getByRole("rowheader", { name: "<b>" }).waitFor(PATIENCE);
    await page.getByRole("button", { name: "Change the settings…" }).click();
    await page.getByLabel("From one round to the next").fill("5m");
    await tab.expectAccessible();
    await tab.picture("jobs-lifecycle");
    await page.keyboard.press("Enter");
    await page.getByText("5 minutes", { exact: true }).waitFor(PATIENCE);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor(PATIENCE);
    await page.setViewportSize({ width: 360, height: 2400 });
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("jobs-lifecycle-360");
    await page.getByRole("button", { name: "Stop for good…" }).click();
    await page.getByText("Both containers stay.").waitFor();
    await page.getByRole("button", { name: /^Stop lifecycle/ }).click();
    await page.getByText("Ended for good").waitFor(PATIENCE);
  });

  test.each(["light", "dark"] as const)("is accessible in %s", async (colorScheme) => {
    await using tab = await stage.tab({ colorScheme });
    await tab.open("jobs");
    await tab.page.getByRole("grid").waitFor();
    await tab.expectAccessible();
    await tab.picture(`jobs-${colorScheme}`);
    await tab.page.getByRole("link", { name: /copy to \/item/ }).click();
    await tab.page.getByText("The cut-over was taken back").waitFor();
    await tab.expectAccessible();
    await tab.picture(`jobs-detail-${colorScheme}`);
  });

  test("fits a phone", async () => {
    // So tall that the bar at the foot of the window covers no field at the place it stands at.
    await using tab = await stage.tab({ viewport: { width: 360, height: 2400 } });
    for (const place of ["jobs", "jobs/new?source=shop/orders"]) {
      await tab.open(place);
      await tab.page.locator("main .panel").first().waitFor();
      await tab.expectNoSidewaysScroll();
      await tab.expectAccessible();
      await tab.picture(`${place.split("?")[0]!.replace("/", "-")}-360`);
    }
    await tab.open("jobs");
    await tab.page.getByRole("link", { name: /copy to \/item/ }).click();
    await tab.page.getByText("The cut-over was taken back").waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("jobs-detail-360");
  });
});
