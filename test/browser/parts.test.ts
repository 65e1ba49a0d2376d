/** The parts that pages are made of, by keyboard, on the page of examples. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

describeInBrowser("parts", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(["light", "dark"] as const)(
    "are accessible in %s, and fit a phone",
    async (colorScheme) => {
      await using tab = await stage.tab({ colorScheme });
      await tab.open("examples");
      await tab.page.getByText("Reading the last 6 hours of shop/orders.").waitFor();
      await tab.expectAccessible();
      await tab.picture(`parts-${colorScheme}`);
      await tab.page.setViewportSize({ width: 360, height: 780 });
      await tab.expectNoSidewaysScroll();
    },
  );

  test("a long table draws few rows, and is sorted by its heads", async () => {
    await using tab = await stage.tab();
    await tab.open("examples");
    const grid = tab.page.getByRole("grid", { name: "Numbers" });
    expect(await grid.getAttribute("aria-rowcount")).toBe("10001");
    expect(await grid.getByRole("rowheader").count()).toBeLessThan(40);
    await grid.getByRole("button", { name: "Square" }).click();
    await grid
      .getByRole("cell", { name: "99980001" })
      .or(grid.getByText("99980001"))
      .first()
      .waitFor();
    expect(await grid.getByRole("columnheader", { name: "Square" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    await grid.evaluate((table) => table.parentElement!.scrollTo(0, 5000 * 28));
    await grid.getByText("item-5000", { exact: true }).waitFor();
  });

  test("a splitter is moved by arrows, and stays where it was", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await tab.open("examples");
    const bar = page.getByRole("separator", { name: "Width of the first pane" });
    await bar.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await bar.getAttribute("aria-valuenow")).toBe("152");
    await page.keyboard.press("End");
    expect(await bar.getAttribute("aria-valuenow")).toBe("200");
    await page.reload();
    expect(await bar.getAttribute("aria-valuenow")).toBe("200");
  });

  test("a dialog asks, keeps the focus, and gives it back", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await tab.open("examples");
    const opener = page.getByRole("button", { name: "Delete 12 items…" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete 12 items of shop/orders?" });
    await dialog.waitFor();
    await tab.expectAccessible();
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press("Tab");
      const isOutside = await page.evaluate(
        () =>
          document.activeElement !== document.body &&
          document.activeElement?.closest("dialog") === null,
      );
      expect(isOutside).toBe(false);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await opener.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Delete 12 items" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: "12 items deleted." })
      .waitFor({ state: "attached" });
  });

  test("a button that cannot be used is reached, and says why", async () => {
    await using tab = await stage.tab();
    await tab.open("examples");
    const button = tab.page.getByRole("button", { name: "Not now" });
    await button.focus();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    const reason = await button.getAttribute("aria-describedby");
    expect(await tab.page.locator(`[id="${reason}"]`).textContent()).toBe(
      "Needs a key that may write.",
    );
  });
});
