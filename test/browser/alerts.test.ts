/** Alerts: what should I know before users notice? */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

/** A logical partition of a megabyte, of two that it may hold: that is a warning, and at once. */
const OPTIONS = {
  limits: { logicalPartitionBytes: "2MB" },
  alerts: {
    largeLogicalPartition: { warningPercent: 40, criticalPercent: 95 },
    unevenKeys: { enabled: false },
  },
};

describeInBrowser("alerts", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(OPTIONS);
    const { database } = await stage.client.databases.create({ id: "shop" });
    const { container } = await database.containers.create({ id: "orders", partitionKey: "/k" });
    const text = "<img src=x onerror=alert(1)>".repeat(18_000);
    for (const id of ["1", "2"]) await container.items.create({ id, k: "<b>toys</b>", text });
    const active = `${stage.server.endpoint}/_orrery/v1/alerts?only=active`;
    const isFiring = async (): Promise<void> => {
      expect(await (await fetch(active)).text()).toContain("largeLogicalPartition");
    };
    await vi.waitFor(isFiring, { timeout: 30_000, interval: 200 });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("what fires is told with evidence and thresholds, by mouse", async () => {
    await using tab = await stage.tab();
    await tab.open("alerts");
    const { page } = tab;
    const row = page.getByRole("row", { name: /A logical partition nears its limit/ });
    await row.click();
    const detail = page.getByRole("region", { name: "A logical partition nears its limit" });
    await detail.getByText("What helps").waitFor();
    await detail.getByText('["<b>toys</b>"]', { exact: true }).waitFor();
    await detail.getByText("usually").first().waitFor();
    await detail.getByText("guidance").first().waitFor();
    await detail.getByText("shop/orders, platform limit").waitFor();
    await page.getByRole("tab", { name: /^Rules/ }).click();
    await page.getByText("unevenKeys", { exact: true }).waitFor();
    await page.getByText("– off", { exact: true }).waitFor();
    await page.getByText("Thresholds of autoscaleWouldFit").click();
    await page
      .getByText("● platform limit", { exact: true })
      .filter({ visible: true })
      .first()
      .waitFor();
    expect(page.url()).toContain("tab=rules");
    await tab.picture("alerts-rules");
  });

  test("the same by keyboard alone", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const { page } = tab;
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("tab", { name: "Now" }).waitFor();
    const isInGrid = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.closest("tbody") !== null);
    while (!(await isInGrid())) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(page.url()).toContain("of=largeLogicalPartition");
    await page.getByRole("tab", { name: "Now" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("grid", { name: "What happened" }).waitFor();
    await page.getByRole("link", { name: "A logical partition nears its limit" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "A logical partition nears its limit" }).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "is accessible in %s, and fits a phone",
    async (colorScheme) => {
      await using tab = await stage.tab({ colorScheme });
      await tab.open("alerts");
      await tab.expectAccessible();
      await tab.picture(`alerts-${colorScheme}`);
      await tab.page.setViewportSize({ width: 360, height: 780 });
      await tab.expectNoSidewaysScroll();
      await tab.picture(`alerts-${colorScheme}-360`);
      await tab.page.getByRole("tab", { name: /^Rules/ }).click();
      await tab.expectAccessible();
      await tab.expectNoSidewaysScroll();
    },
  );
});
