/** Overview: is anything wrong, and where? By mouse, by keyboard, in both themes, on a phone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const MARKUP = "<img src=x onerror=alert(1)>";

describeInBrowser("overview", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    for (const id of ["orders", "carts", MARKUP]) {
      await database.containers.create({ id, partitionKey: "/customerId" });
    }
    const orders = database.container("orders");
    for (let index = 0; index < 20; index++) {
      await orders.items.create({ id: `o${index}`, customerId: `c${index % 3}` });
    }
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("shows every container, and opens one, by mouse", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: /Overview/ }).waitFor();
    const grid = page.getByRole("grid", { name: "Containers" });
    expect(await grid.getByRole("rowheader").count()).toBe(3);
    const row = grid.getByRole("row", { name: /shop\/orders/ });
    expect(await row.textContent()).toContain("20");
    await tab.picture("overview-light");
    await row.getByRole("link", { name: "shop/orders" }).click();
    await page.getByRole("heading", { level: 1, name: /Partitions/ }).waitFor();
    expect(page.url()).toBe(`${stage.server.explorer}partitions/shop/orders`);
    await page.goBack();
    await grid.waitFor();
  });

  test("the same by keyboard alone", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const { page } = tab;
    const grid = page.getByRole("grid", { name: "Containers" });
    await grid.waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ord");
    await expect.poll(() => grid.getByRole("rowheader").count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("filter")).toBe("ord");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await expect.poll(() => grid.getByRole("rowheader").count()).toBe(3);
    // Past the heads of the columns into the table, which is one stop.
    while (!(await page.evaluate(() => document.activeElement?.closest("tbody") !== null))) {
      await page.keyboard.press("Tab");
    }
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.closest("tr")?.textContent ?? "");
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    const second = await focused();
    expect(second).not.toBe(first);
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe(first);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /Partitions/ }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await grid.waitFor();
  });

  test("the last requests of clients are found by status and by words", async () => {
    await using tab = await stage.tab();
    const gone = stage.client.database("shop").container("orders").item(MARKUP, "c0");
    expect((await gone.read()).statusCode).toBe(404);
    await tab.open();
    const { page } = tab;
    await page.getByRole("link", { name: "Last requests" }).click();
    await page.getByRole("heading", { level: 1, name: /^Requests/ }).waitFor();
    const grid = page.getByRole("grid", { name: "Last requests" });
    await page.getByRole("radio", { name: "refused 1" }).check();
    expect(await grid.getByRole("rowheader").count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("status")).toBe("refused");
    await grid.getByText(MARKUP).click();
    const picked = page.getByRole("region", { name: "The picked request" });
    expect(await picked.textContent()).toContain("404");
    await page.reload();
    await picked.getByText(MARKUP).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nowhere");
    await page.getByText(/^None of \d+ requests passes the filter/).waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await grid.getByText("POST /dbs/shop/colls/orders/docs").first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await tab.expectAccessible();
    await tab.picture("requests");
    await page.setViewportSize({ width: 360, height: 780 });
    await tab.expectNoSidewaysScroll();
  });

  test.each(["light", "dark"] as const)("is accessible in %s", async (colorScheme) => {
    await using tab = await stage.tab({ colorScheme });
    await tab.open();
    await tab.page.getByRole("grid").waitFor();
    await tab.expectAccessible();
    await tab.picture(`overview-${colorScheme}`);
  });

  test("fits a phone", async () => {
    await using tab = await stage.tab({ viewport: { width: 360, height: 780 } });
    await tab.open();
    await tab.page.getByRole("grid").waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("overview-360");
  });

  test("a name with markup in it is a name", async () => {
    await using tab = await stage.tab();
    let isAlerted = false;
    tab.page.on("dialog", (dialog) => {
      isAlerted = true;
      void dialog.dismiss();
    });
    await tab.open();
    await tab.page.getByRole("link", { name: "shop/<img src=x onerror=alert(1)>" }).click();
    await tab.page.getByRole("heading", { level: 1, name: /Partitions/ }).waitFor();
    expect(await tab.page.locator("img").count()).toBe(0);
    expect(isAlerted).toBe(false);
  });
});
