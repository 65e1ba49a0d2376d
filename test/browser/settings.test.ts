/** Settings: how do I connect, and how should this look? */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

describeInBrowser("settings", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("the connection string is copied with its key, which is shown only when asked for", async () => {
    await using tab = await stage.tab({ permissions: ["clipboard-read", "clipboard-write"] });
    await tab.open("settings");
    const { page } = tab;
    const { endpoint, key, connectionString } = stage.server;
    await page.getByText(`AccountEndpoint=${endpoint}/;AccountKey=••••••••;`).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("button", { name: "Copy the connection string" }).click();
    await page.getByText("Copied the connection string.").waitFor({ state: "attached" });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(connectionString);
    await page.getByRole("button", { name: "Show the key" }).click();
    await page.getByText(connectionString).waitFor();
    await page.getByRole("button", { name: "Hide the key" }).click();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  test("languages and themes by keyboard alone", async () => {
    await using tab = await stage.tab();
    await tab.open("settings");
    const { page } = tab;
    await page.getByRole("tab", { name: "JavaScript" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("ConnectionMode.Gateway").waitFor();
    expect(page.url()).toContain("language=.NET");
    await page.keyboard.press("End");
    await page.getByText("azcosmos.NewKeyCredential").waitFor();
    await page.getByRole("radio", { name: "System" }).first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  });

  test.each(["light", "dark"] as const)(
    "is accessible in %s, and fits a phone",
    async (colorScheme) => {
      await using tab = await stage.tab({ colorScheme });
      await tab.open("settings");
      await tab.expectAccessible();
      await tab.picture(`settings-${colorScheme}`);
      await tab.page.setViewportSize({ width: 360, height: 780 });
      await tab.expectNoSidewaysScroll();
      await tab.picture(`settings-${colorScheme}-360`);
    },
  );

  test("high contrast is accessible", async () => {
    await using tab = await stage.tab();
    await tab.open("settings");
    await tab.page.getByRole("radio", { name: "Contrast" }).check({ force: true });
    await tab.expectAccessible();
  });
});
