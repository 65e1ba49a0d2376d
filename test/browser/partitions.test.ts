/**
 * Partitions: how is the data placed, and where is the load? A container with one hot key: the page
 * finds it and says that a split will not help; by mouse, by keyboard, in both themes, on a phone.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import { refuseSome } from "./load.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const PATH = "partitions/shop/orders";

describeInBrowser("partitions", () => {
  let stage: Stage;
  beforeAll(async () => {
    // A physical partition serves 400 RU/s here, so that few requests fill one.
    stage = await openStage({ limits: { partitionRate: 400 } });
    const { client } = stage;
    const { database } = await client.databases.create({ id: "shop" });
    const { container } = await database.containers.create({
      id: "orders",
      partitionKey: "/tenant",
      throughput: 1200,
    });
    for (let index = 0; index < 30; index++) {
      await container.items.create({ id: `o${index}`, tenant: `t${index}`, note: "n".repeat(200) });
    }
    const hot = { id: "hot", tenant: "Toys", note: "n".repeat(4000) };
    for (let count = 0; count < 60; count++) await container.items.upsert(hot);
    await refuseSome(stage, { database: "shop", container: "orders" }, hot);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const answerIn = (page: Page): Promise<string> =>
    page.locator(".answer").textContent() as Promise<string>;

  test("finds the hot key and says that a split will not help, by mouse", async () => {
    await using tab = await stage.tab();
    await tab.open(PATH);
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: /Partitions of shop\/orders/ }).waitFor();
    await expect.poll(() => answerIn(page)).toMatch(/A split will not help: one key, "Toys"/);
    const strip = page.getByRole("listbox", { name: /Physical partitions/ });
    expect(await strip.getByRole("option").count()).toBe(3);
    await page.getByRole("radio", { name: "bytes" }).click();
    expect(new URL(page.url()).searchParams.get("width")).toBe("bytes");
    const keys = page.getByRole("grid", { name: "Top keys" });
    const row = keys.getByRole("row", { name: /"Toys"/ });
    expect(await row.textContent()).toContain("hot");
    await strip.getByRole("option").first().click();
    const first = new URL(page.url()).searchParams.get("of");
    await page.reload();
    await strip.waitFor();
    expect(await strip.getByRole("option", { selected: true }).textContent()).toContain(
      `Partition ${first}:`,
    );
  });

  test("a cell of the heat map is pinned, by mouse and by keyboard, and stays after a reload", async () => {
    await using tab = await stage.tab();
    await tab.open(PATH);
    const { page } = tab;
    const map = page.getByRole("application", { name: /Arrows move the cursor/ });
    await map.waitFor();
    await tabTo(page, ".heatBox");
    // The first arrow shows the cursor, where most is; Enter pins what is under it.
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    const pinned = page.getByRole("region", { name: "Pinned cell" });
    await expect.poll(() => pinned.textContent()).toContain('"Toys"');
    const words = await pinned.textContent();
    await page.reload();
    await pinned.waitFor();
    expect((await pinned.textContent())!.slice(0, 20)).toBe(words!.slice(0, 20));
    await pinned.getByRole("button", { name: "Unpin" }).click();
    await pinned.waitFor({ state: "detached" });
    await map.click({ position: { x: 5, y: 5 } });
    await pinned.waitFor();
    await page.getByText(/As a table: every cell/).click();
    const table = page.getByRole("grid", { name: "Heat" });
    expect(await table.textContent()).toContain("%");
  });

  test("the same by keyboard alone", async () => {
    await using tab = await stage.tab();
    await tab.open(PATH);
    const { page } = tab;
    const strip = page.getByRole("listbox", { name: /Physical partitions/ });
    await strip.waitFor();
    await tabTo(page, "[role=listbox]");
    const selected = (): Promise<string | null> =>
      strip.getByRole("option", { selected: true }).textContent();
    await page.keyboard.press("Home");
    await expect.poll(selected).toContain("Partition 0:");
    await page.keyboard.press("ArrowRight");
    await expect.poll(selected).toContain("Partition 1:");
    await page.getByRole("heading", { name: "Would a split of partition 1 help?" }).waitFor();
  });

  test("locates a key that is typed as text", async () => {
    await using tab = await stage.tab();
    await tab.open(PATH);
    const { page } = tab;
    await page.getByRole("textbox", { name: /A value of \/tenant/ }).fill("Toys");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Locate a key" });
    await expect.poll(() => panel.textContent()).toContain("1 item,");
    const link = panel.getByRole("link", { name: "Open in Explorer" });
    const { searchParams } = new URL((await link.getAttribute("href"))!, page.url());
    expect(searchParams.get("q")).toBe('SELECT * FROM c WHERE c.tenant = "Toys"');
    expect(new URL(page.url()).searchParams.get("key")).toBe('["Toys"]');
    await page.getByRole("textbox", { name: /A value of/ }).fill("[Toys]");
    await page.keyboard.press("Enter");
    await panel.getByText("This is no JSON array.").waitFor();
  });

  test.each(["light", "dark"] as const)("is accessible in %s", async (colorScheme) => {
    await using tab = await stage.tab({ colorScheme });
    await tab.open(PATH);
    await tab.page.getByRole("grid", { name: "Top keys" }).waitFor();
    await tab.page.getByRole("application").waitFor();
    await tab.page.getByText("As a table: 3 physical partitions").click();
    await tab.page.getByRole("grid", { name: "Physical partitions" }).waitFor();
    await tab.expectAccessible();
    await tab.picture(`partitions-${colorScheme}`);
  });

  test("in forced colours heat keeps its scale, which is what it says", async () => {
    await using tab = await stage.tab({ forcedColors: "active", colorScheme: "light" });
    await tab.open(PATH);
    const { page } = tab;
    await page.getByRole("application").waitFor();
    const inks = await page
      .locator(".heatRamp .heat")
      .evaluateAll((steps) => steps.map((step) => getComputedStyle(step).backgroundColor));
    expect(new Set(inks).size).toBe(10);
    await tab.picture("partitions-forced");
  });

  test("fits a phone", async () => {
    await using tab = await stage.tab({ viewport: { width: 360, height: 780 } });
    await tab.open(PATH);
    await tab.page.getByRole("grid", { name: "Top keys" }).waitFor();
    await tab.page.getByRole("application").waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("partitions-360");
  });

  test("a split is previewed, asked for once, and leads to its job", async () => {
    await using tab = await stage.tab();
    await tab.open(PATH);
    const { page } = tab;
    await page.getByRole("button", { name: /Preview a split of partition/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/A split will not help/).waitFor();
    await tab.expectAccessible();
    await tab.picture("partitions-split");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(tab.sent.filter((line) => line.startsWith("POST") && line.endsWith("/split"))).toEqual(
      [],
    );
    await page.getByRole("button", { name: /Preview a split of partition/ }).click();
    await dialog.getByRole("button", { name: /^Split partition/ }).click();
    await page.getByRole("link", { name: "Follow it in Jobs" }).waitFor();
    const options = page.getByRole("listbox").getByRole("option");
    await expect.poll(() => options.count(), { timeout: 30_000 }).toBe(4);
    await page
      .getByRole("list", { name: "Events" })
      .getByText(/split \d/)
      .waitFor();
    await page.getByRole("link", { name: "Follow it in Jobs" }).click();
    await page.getByRole("heading", { level: 1, name: /Jobs/ }).waitFor();
  });

  test("without a container it offers those there are", async () => {
    await using tab = await stage.tab();
    await tab.open("partitions");
    await tab.page.getByRole("link", { name: "shop/orders" }).click();
    await tab.page.getByRole("listbox").waitFor();
  });
});

/** Presses Tab until the focus is on what the selector names. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 200; count++) {
    if (await page.evaluate((text) => document.activeElement?.matches(text), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}
