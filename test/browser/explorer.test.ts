/** Explorer: what is in here, and what does this query cost? By keyboard and by mouse. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const MARKUP = "<img src=x onerror=alert(1)>";

describeInBrowser("explorer", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    const { container } = await database.containers.create({
      id: "orders",
      partitionKey: "/customerId",
      throughput: 30_000,
    });
    for (let index = 0; index < 30; index++) {
      const customerId = index === 7 ? MARKUP : `c${index % 5}`;
      await container.items.create({ id: `o${index}`, customerId, total: index, note: "" });
    }
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("a container, an item and a query by keyboard alone", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer");
    const { page } = tab;
    await page.keyboard.press("Control+K");
    await page.keyboard.type("New container");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New container" });
    await dialog.waitFor();
    await dialog.getByLabel("Database id").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("fresh");
    await page.keyboard.press("Tab");
    await page.keyboard.type("people");
    await page.keyboard.press("Tab");
    await page.keyboard.type("/city");
    await dialog.getByLabel("Items to try the key on").focus();
    await page.keyboard.insertText(
      ["ada", "bob", "cyd"].map((id) => JSON.stringify({ id, city: "Rome" })).join("\n"),
    );
    const told = dialog.getByText(/^3 items in 1 logical partition/).first();
    await told.waitFor();
    const proposed = dialog.getByRole("button", { name: /^\/city/ });
    expect(await proposed.getAttribute("aria-pressed")).toBe("true");
    await dialog.getByRole("slider", { name: "Follow an item" }).focus();
    await page.keyboard.press("End");
    await dialog.getByText(/^Item cyd → key Rome → EPK .* → physical partition 0$/).waitFor();
    await tab.picture("explorer-new-container");
    await tab.expectAccessible();
    await dialog.getByLabel("Partition key").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "fresh/people" }).waitFor();
    expect(page.url()).toBe(`${stage.server.explorer}explorer/fresh/people`);

    await page.keyboard.press("Control+K");
    await page.keyboard.type("New item");
    await page.keyboard.press("Enter");
    const item = page.getByRole("dialog", { name: "New item" });
    await item.getByLabel("JSON").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(JSON.stringify({ id: "ada", city: "Rome", big: 1 }));
    await page.keyboard.press("Control+S");
    const made = page.getByRole("dialog", { name: "Item ada" });
    await made.getByText(/Lies on physical partition/).waitFor();
    await page.keyboard.press("Escape");
    await made.waitFor({ state: "detached" });

    await page.getByLabel("Query", { exact: true }).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("SELECT * FROM c WHERE c.city = 'Rome'");
    const answered = page.waitForResponse((response) => response.url().endsWith("/docs"));
    await page.keyboard.press("Control+Enter");
    const charge = Number((await (await answered).allHeaders())["x-ms-request-charge"]);
    const grid = page.getByRole("grid", { name: "Results" });
    await grid.waitFor();
    expect(await grid.getByRole("row").count()).toBe(2);
    await page.getByRole("tab", { name: "Cost" }).click();
    expect(await page.locator("[data-charge]").getAttribute("data-charge")).toBe(String(charge));
    const text = "SELECT * FROM c WHERE c.city = 'Rome'";
    expect(new URL(page.url()).searchParams.get("q")).toBe(text);
    // A reload and the back button bring rows and charge back, and nothing is asked for it.
    const queries = (): number => tab.sent.filter((each) => each.endsWith("/docs")).length;
    const askedCount = queries();
    await page.reload();
    await page
      .getByTestId("summary")
      .getByText(`${charge.toFixed(2)} RU`)
      .waitFor();
    await page.keyboard.press("Control+J");
    await page.getByText("Nothing was asked yet.").waitFor();
    await page.goBack();
    await page
      .getByTestId("summary")
      .getByText(`${charge.toFixed(2)} RU`)
      .waitFor();
    await page.getByLabel("Query", { exact: true }).getByText("'Rome'").waitFor();
    expect(queries()).toBe(askedCount);
  });

  test("the tree by keyboard", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer");
    const { page } = tab;
    await page.getByRole("treeitem", { name: "Database shop" }).focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.getByRole("treeitem", { name: /^orders/ }).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "shop/orders" }).waitFor();
  });

  test("shares of physical partitions add up to the charge, which is the header's", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders?view=cost&q=SELECT+*+FROM+c+ORDER+BY+c.total&size=20");
    const { page } = tab;
    const charges: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/docs")) {
        charges.push(Number(response.headers()["x-ms-request-charge"]));
      }
    });
    await page.getByRole("button", { name: /^Run/ }).click();
    const grid = page.getByRole("grid", { name: "Cost by physical partition" });
    await grid.waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Page 2 of 2").waitFor();
    const sum = Math.round(charges.reduce((total, each) => total + each, 0) * 100) / 100;
    expect(charges).toHaveLength(2);
    expect(await page.locator("[data-charge]").getAttribute("data-charge")).toBe(String(sum));
    const shares = await grid.locator("tbody tr td:nth-child(3)").allTextContents();
    expect(shares.length).toBeGreaterThan(1);
    const shared = shares.reduce((total, text) => total + Math.round(Number(text) * 100), 0);
    expect(shared).toBe(Math.round(sum * 100));
    await tab.picture("explorer-cost");
    await page.getByRole("button", { name: "Previous page" }).click();
    expect(charges).toHaveLength(2);
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.getByRole("list", { name: "Steps, the last first" }).waitFor();
    await tab.picture("explorer-plan");
    await tab.expectAccessible();
    expect(charges).toHaveLength(2);
  });

  test("what is wrong with a query is said where it is wrong", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders?q=SELECT+*+FRM+c");
    const { page } = tab;
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByText("line 1, column 10").waitFor();
    expect(await page.locator(".q-wrong").textContent()).toBe("FRM");
  });

  test("a query is cancelled, and another stops at its limit of RU", async () => {
    await using tab = await stage.tab();
    const shop = stage.client.database("shop");
    const { container } = await shop.containers.create({ id: "many", partitionKey: "/id" });
    for (let index = 0; index < 60; index++) await container.items.create({ id: `${index}` });
    await tab.open("explorer/shop/many?q=SELECT+*+FROM+c+ORDER+BY+c.id&size=20&cap=1");
    const { page } = tab;
    const summary = page.getByTestId("summary");
    // The server has not answered yet for as long as the test likes.
    await page.route("**/colls/many/docs", () => undefined);
    await page.getByRole("button", { name: /^Run/ }).click();
    await summary.getByText(/^running: 0 rows/).waitFor();
    await page.keyboard.press("Escape");
    await summary.getByText(/^cancelled: 0 rows/).waitFor();
    tab.expectedErrors.push(/ERR_FAILED/);
    await page.unroute("**/colls/many/docs");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByText("Page 1 of 1 so far").waitFor();
    await page.getByRole("button", { name: "Fetch all pages" }).click();
    await page.getByText(/^Stopped at [\d.]+ RU, the limit that was set/).waitFor();
    expect(await summary.textContent()).toMatch(/^40 rows/);
  });

  test("somebody else's change is shown beside one's own before anything is saved", async () => {
    await using tab = await stage.tab();
    const named = encodeURIComponent(JSON.stringify([["c0"], "o5"]));
    await tab.open(`explorer/shop/orders?item=${named}`);
    const { page } = tab;
    const dialog = page.getByRole("dialog", { name: "Item o5" });
    const field = dialog.getByLabel("JSON");
    await expect.poll(() => field.inputValue()).toContain('"total": 5');
    const orders = stage.client.database("shop").container("orders");
    await orders.items.upsert({ id: "o5", customerId: "c0", total: 50, note: "" });
    await field.fill((await field.inputValue()).replace('"total": 5', '"total": 55'));
    await dialog.getByRole("button", { name: "Save the item" }).click();
    await dialog.getByText("Somebody changed the item meanwhile.").waitFor();
    expect((await orders.item("o5", "c0").read()).resource.total).toBe(50);
    await tab.expectAccessible();
    await tab.picture("explorer-conflict");
    await dialog.getByRole("button", { name: "Save mine over it" }).click();
    await expect
      .poll(async () => (await orders.item("o5", "c0").read()).resource.total as number)
      .toBe(55);
  });

  test("text with markup in it is text, in the table and in the JSON", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    let isAlerted = false;
    page.on("dialog", (dialog) => {
      isAlerted = true;
      void dialog.dismiss();
    });
    await tab.open("explorer/shop/orders");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("grid", { name: "Results" }).getByText(MARKUP).waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByRole("region", { name: "Rows as JSON" }).getByText(MARKUP).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(isAlerted).toBe(false);
  });

  test.each(["light", "dark"] as const)("is accessible in %s", async (colorScheme) => {
    await using tab = await stage.tab({ colorScheme });
    await tab.open("explorer/shop/orders");
    await tab.page.getByRole("button", { name: /^Run/ }).click();
    await tab.page.getByRole("grid", { name: "Results" }).waitFor();
    await tab.expectAccessible();
    await tab.picture(`explorer-${colorScheme}`);
    await tab.page.getByRole("tab", { name: "Cost" }).click();
    await tab.page.getByRole("grid", { name: "Cost by physical partition" }).waitFor();
    await tab.expectAccessible();
  });

  test("fits a phone", async () => {
    // So high that nothing lies below the bar at the foot, half in sight.
    await using tab = await stage.tab({ viewport: { width: 360, height: 2000 } });
    await tab.open("explorer/shop/orders");
    await tab.page.getByRole("button", { name: /^Run/ }).click();
    await tab.page.getByRole("grid", { name: "Results" }).waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("explorer-360");
    await tab.page.getByRole("button", { name: "New container…" }).click();
    await tab.page.getByRole("dialog").waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.picture("explorer-360-new");
  });
});
