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
    await dialog.getByText("Time to live and unique keys").focus();
    await page.keyboard.press("Enter");
    await dialog.getByRole("radio", { name: "Off" }).focus();
    await page.keyboard.press("ArrowRight");
    await dialog.getByLabel("Unique keys, one a line").focus();
    await page.keyboard.insertText("/email");
    await dialog.getByRole("slider", { name: "Follow an item" }).focus();
    await page.keyboard.press("End");
    await dialog.getByText(/^Item cyd → key Rome → EPK .* → physical partition 0$/).waitFor();
    await tab.picture("explorer-new-container");
    await tab.expectAccessible();
    await dialog.getByLabel("Partition key").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "fresh/people" }).waitFor();
    expect(page.url()).toBe(`${stage.server.explorer}explorer/fresh/people`);
    const made = await stage.client.database("fresh").container("people").read();
    expect(made.resource).toMatchObject({
      defaultTtl: -1,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    });

    await page.keyboard.press("Control+K");
    await page.keyboard.type("New item");
    await page.keyboard.press("Enter");
    const item = page.getByRole("dialog", { name: "New item" });
    await item.getByLabel("JSON").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(JSON.stringify({ id: "ada", city: "Rome", big: 1 }));
    await page.keyboard.press("Control+S");
    const saved = page.getByRole("dialog", { name: "Item ada" });
    await saved.getByText(/Lies on physical partition/).waitFor();
    await page.keyboard.press("Escape");
    await saved.waitFor({ state: "detached" });

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

  test("several queries are open beside each other, and each keeps its text and its rows", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders?size=20");
    const { page } = tab;
    const query = page.getByLabel("Query", { exact: true });
    await query.focus();
    await page.keyboard.press("Control+Enter");
    const summary = page.getByTestId("summary");
    await summary.getByText(/^20 rows/).waitFor();
    await page.keyboard.press("Control+J");
    await page.getByText("Nothing was asked yet.").waitFor();
    await page.keyboard.type("SELECT VALUE 1");
    const strip = page.getByRole("tablist", { name: "Queries" });
    await strip.getByRole("tab", { name: "2: SELECT VALUE 1", selected: true }).waitFor();
    await strip.getByRole("tab", { name: "1: SELECT * FROM c" }).click();
    await summary.getByText(/^20 rows/).waitFor();
    // What was written and never run is there after a reload, too.
    await page.reload();
    await summary.getByText(/^20 rows/).waitFor();
    await strip.getByRole("tab", { name: "1: SELECT * FROM c" }).focus();
    await page.keyboard.press("ArrowRight");
    await query.getByText("VALUE 1").waitFor();
    await page.getByText("Nothing was asked yet.").waitFor();
    await page.getByRole("button", { name: "Close this query" }).click();
    await summary.getByText(/^20 rows/).waitFor();
    expect(await strip.getByRole("tab").count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("tab")).toBeNull();
  });

  test("rows are sorted where they are, and a key leads to its items", async () => {
    await using tab = await stage.tab();
    await tab.open("explorer/shop/orders?size=50");
    const { page } = tab;
    await page.getByRole("button", { name: /^Run/ }).click();
    const grid = page.getByRole("grid", { name: "Results" });
    await grid.waitFor();
    const queries = (): number => tab.sent.filter((each) => each.endsWith("/docs")).length;
    const askedCount = queries();
    const totals = async (): Promise<readonly number[]> =>
      (await grid.locator("tbody td.number").allTextContents()).map(Number);
    await grid.getByRole("button", { name: "total" }).click();
    await grid
      .getByRole("columnheader", { name: "total" })
      .and(page.locator("[aria-sort=descending]"))
      .waitFor();
    const descending = await totals();
    expect(descending).toEqual(descending.toSorted((one, other) => other - one));
    await grid.getByRole("button", { name: "total" }).click();
    await expect.poll(async () => (await totals())[0]).toBe(0);
    expect(new URL(page.url()).searchParams.get("sort")).toBe(".total");
    expect(queries()).toBe(askedCount);
    await grid.getByRole("button", { name: `${MARKUP}: only the items of this key` }).click();
    await page
      .getByTestId("summary")
      .getByText(/^1 row,/)
      .waitFor();
    const text = `SELECT * FROM c WHERE c.customerId = "${MARKUP}"`;
    expect(new URL(page.url()).searchParams.get("q")).toBe(text);
    await page.goBack();
    await page
      .getByTestId("summary")
      .getByText(/^30 rows/)
      .waitFor();
  });

  test("changes of several items wait, are looked at, and saved together", async () => {
    await using tab = await stage.tab();
    const orders = stage.client.database("shop").container("orders");
    await tab.open("explorer/shop/orders?size=50");
    const { page } = tab;
    await page.getByRole("button", { name: /^Run/ }).click();
    const grid = page.getByRole("grid", { name: "Results" });
    for (const [id, total] of [
      ["o1", 1],
      ["o2", 2],
    ] as const) {
      await grid.getByRole("button", { name: id, exact: true }).click();
      const field = page.getByRole("dialog", { name: `Item ${id}` }).getByLabel("JSON");
      await expect.poll(() => field.inputValue()).toContain(`"total": ${total}`);
      await field.fill((await field.inputValue()).replace('"note": ""', '"note": "new"'));
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Keep them for later" }).click();
    }
    const waiting = page.getByRole("region", { name: "2 changes wait to be saved" });
    await waiting.waitFor();
    await page.reload();
    await waiting.waitFor();
    expect((await orders.item("o1", "c1").read()).resource.note).toBe("");
    // Somebody else is quicker with one of them.
    await orders.items.upsert({ id: "o2", customerId: "c2", total: 200, note: "" });
    await page.keyboard.press("Control+.");
    const review = page.getByRole("dialog", { name: "What 2 changes would save" });
    await review.getByText('+   "note": "new"').first().waitFor();
    await tab.expectAccessible();
    await tab.picture("explorer-staged");
    await review.getByRole("button", { name: "Save 2 changes" }).click();
    const left = page.getByRole("region", { name: "1 change waits to be saved" });
    await left.getByText("Somebody changed it meanwhile.").waitFor();
    expect((await orders.item("o1", "c1").read()).resource.note).toBe("new");
    expect((await orders.item("o2", "c2").read()).resource.total).toBe(200);
    await left.getByRole("button", { name: "o2" }).click();
    const item = page.getByRole("dialog", { name: "Item o2" });
    await item.getByRole("button", { name: "Save the item" }).click();
    await item.getByText("Somebody changed the item meanwhile.").waitFor();
    await item.getByRole("button", { name: "Go on with theirs" }).click();
    await item.getByRole("button", { name: "Close" }).last().click();
    await left.waitFor({ state: "detached" });
    // An item keeps its id and its key for life: with others it is another item.
    await grid.getByRole("button", { name: "o3", exact: true }).click();
    const third = page.getByRole("dialog", { name: "Item o3" }).getByLabel("JSON");
    await expect.poll(() => third.inputValue()).toContain('"id": "o3"');
    await third.fill((await third.inputValue()).replace('"id": "o3"', '"id": "o3b"'));
    await page.getByRole("button", { name: "Create it beside" }).click();
    await page.getByRole("dialog", { name: "Item o3b" }).waitFor();
    expect((await orders.item("o3", "c3").read()).statusCode).toBe(200);
    await orders.item("o3b", "c3").delete();
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
