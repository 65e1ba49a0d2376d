/**
 * Lab: from the items of a container to a verdict, by mouse; from pasted items by keyboard alone.
 * The run is the real command. What a proof would say is played, because a real one takes a while.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const PATIENCE = { timeout: 30_000 };
const MARKUP = "<img src=x onerror=alert(1)>";
const WORKLOAD = `
name: orders
growth: { itemsPerDay: 1 million, retentionDays: 90, peakFactor: 3 }
horizonMonths: 6
operations:
  - { id: place, kind: create, rate: 12 }
  - { id: show, kind: pointRead, rate: 60 }
  - { id: mine, kind: query, rate: 10, sql: "SELECT * FROM c WHERE c.customerId = @customer" }
`;

/** The same orders every time: one category has most of them. */
function orders(): readonly Record<string, string>[] {
  let seed = 7;
  const draw = (count: number): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((seed / 2 ** 32) * count);
  };
  return Array.from({ length: 60 }, (_, at) => ({
    id: `o${at}`,
    customerId: `c${draw(20)}`,
    category: draw(5) < 4 ? MARKUP : "books",
  }));
}

const PROOF = {
  schemaVersion: 1,
  scale: { items: 2500, rate: 120, seconds: 6 },
  remarks: [],
  candidates: [
    {
      id: "/customerId",
      totalRate: { predicted: 262, measured: 260 },
      throttledShare: { predicted: 0, measured: 0 },
      partitionCount: { predicted: 1, measured: 1 },
      skew: { predicted: 1, measured: 1 },
      largestKeyBytes: { predicted: 8182, measured: 8157 },
      medianError: 0.002,
    },
  ],
  summary: {
    predictedRanking: ["/customerId"],
    measuredRanking: ["/customerId"],
    verdicts: {
      ru: { finding: "held", medianError: 0.002 },
      ranking: { finding: "held" },
      throttling: { finding: "held", points: 0 },
    },
    agrees: true,
  },
};

/** Answers what is asked of a proof as a server would that has just made one. */
async function playProof(page: Page): Promise<void> {
  const entry = {
    id: "90",
    kind: "prove",
    state: "done",
    title: "orders",
    startedAt: 0,
    commands: [],
    proofOf: "1",
    hasPage: true,
  };
  let isAsked = false;
  await page.route("**/_orrery/v1/lab/runs/1/proof", (route) => {
    isAsked = true;
    return route.fulfill({ status: 202, json: { run: entry } });
  });
  await page.route("**/_orrery/v1/lab/runs", (route) =>
    isAsked ? route.fulfill({ json: { runs: [entry] } }) : route.continue(),
  );
  await page.route("**/_orrery/v1/lab/runs/90", (route) =>
    route.fulfill({ json: { run: { ...entry, result: PROOF } } }),
  );
}

describeInBrowser("lab", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    await database.containers.create({ id: "orders", partitionKey: "/category" });
    for (const order of orders()) await database.container("orders").items.create(order);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("a key is chosen for a container, proved, and the migration to it begun", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await playProof(page);
    await tab.open("lab");
    await page.getByRole("radio", { name: "A container of this server" }).check();
    await page.getByLabel("Take the items of").selectOption("shop/orders");
    await page.getByText("All 60 items are looked at.").waitFor();
    await tab.picture("lab-data");
    await page.getByRole("button", { name: "Go on to the workload" }).click();
    const text = page.getByLabel("As YAML or JSON; edit it as you like");
    await page.getByLabel("Template or worked case").selectOption({ index: 2 });
    await page.getByText("understood").waitFor();
    await tab.picture("lab-workload");
    await text.fill("operations:\n  - { kind: create, rat: 5 }\n");
    await page.getByRole("list", { name: "What is wrong" }).waitFor();
    await text.fill(WORKLOAD);
    await page.getByText("understood").waitFor();
    await page.reload();
    expect(await text.inputValue()).toBe(WORKLOAD);
    await page.getByRole("button", { name: "Go on to the keys" }).click();
    await page.getByRole("radio", { name: "Mine only" }).check();
    const keys = page.getByLabel("Keys of yours, one a line");
    await keys.fill("/customerId\nconcat(");
    await page.getByText("at character").waitFor();
    await keys.fill("/customerId\n/category\n/id");
    expect(await page.getByLabel("The key in use").inputValue()).toBe("/category");
    await page.getByRole("button", { name: "Go on to the run" }).click();
    await page.getByRole("button", { name: "Start the run" }).click();

    const comparison = page.getByRole("region", { name: "Comparison" });
    await comparison.waitFor(PATIENCE);
    await comparison.getByText(MARKUP).first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await comparison
      .getByRole("img", { name: /^Largest logical partition/ })
      .first()
      .waitFor();
    await tab.expectAccessible();
    await tab.picture("lab-compare");
    await page.getByText("Choose what is compared").click();
    await page.getByRole("checkbox", { name: /\/id/ }).uncheck();
    await expect.poll(() => comparison.getByRole("columnheader").count()).toBe(3);
    await page.reload();
    await expect.poll(() => comparison.getByRole("columnheader").count()).toBe(3);

    await page.getByRole("link", { name: /6\. Verdict/ }).click();
    await page.getByRole("heading", { name: "What would change it" }).waitFor();
    await page.getByRole("button", { name: "Prove on the engine" }).click();
    await page.getByText("The prediction held").waitFor();
    await tab.expectAccessible();
    await tab.picture("lab-verdict");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the report" }).click();
    expect((await download).suggestedFilename()).toBe("partition-key-1.html");
    await page.getByLabel("For the key").selectOption({ label: "1. /customerId" });
    await page.getByRole("button", { name: "Start the migration…" }).click();
    await page.getByRole("heading", { level: 1, name: "Jobs: start a copy" }).waitFor();
    expect(await page.getByLabel("New key").inputValue()).toBe("/customerId");
    expect(await page.getByLabel("Source", { exact: true }).inputValue()).toBe("shop/orders");
    expect(await page.getByLabel(/RU\/s of the copy/).inputValue()).toMatch(/^\d+00$/);
    await page.goBack();
    await page.getByRole("heading", { name: "What would change it" }).waitFor();
  });

  test("by keyboard alone, from pasted items to the comparison", async () => {
    await using tab = await stage.tab({ colorScheme: "dark" });
    const { page } = tab;
    await tab.open("lab?data=text&mine=1&way=form");
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const tabTo = async (name: RegExp): Promise<void> => {
      const focused = (): Promise<string> =>
        page.evaluate(() => {
          const element = document.activeElement;
          const labels = element instanceof HTMLTextAreaElement ? element.labels : null;
          return labels?.[0]?.textContent ?? element?.textContent ?? "";
        });
      for (let count = 0; count < 60 && !name.test(await focused()); count++) await press("Tab");
      expect(await focused()).toMatch(name);
    };
    await page.getByText("Or items, pasted").waitFor();
    await page.locator("main").focus();
    await tabTo(/^Or items, pasted/);
    const lines = orders().map((order) => JSON.stringify(order));
    await page.keyboard.insertText(lines.join("\n"));
    await tabTo(/^Go on to the workload$/);
    await press("Enter");
    await page.getByRole("button", { name: "Write the workload" }).waitFor();
    await tabTo(/^Write the workload$/);
    await press("Enter");
    await page.getByText("understood").waitFor();
    await tab.picture("lab-form-dark");
    await tab.expectAccessible();
    await tabTo(/^Go on to the keys$/);
    await press("Enter");
    await page.getByText("Keys of yours, one a line").waitFor();
    await tabTo(/^Keys of yours/);
    await page.keyboard.insertText("/customerId\n/category");
    await tabTo(/^Go on to the run$/);
    await press("Enter");
    await page.getByRole("button", { name: "Start the run" }).waitFor();
    await tabTo(/^Start the run$/);
    await press("Enter");
    await page.getByRole("region", { name: "Comparison" }).waitFor(PATIENCE);
    await tab.expectAccessible();
    await tab.picture("lab-compare-dark");
  });

  test("on a phone one key is shown, with a switcher", async () => {
    await using tab = await stage.tab({ viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await tab.open("lab?run=1");
    const comparison = page.getByRole("region", { name: "Comparison" });
    await comparison.waitFor();
    const heads = comparison.getByRole("columnheader");
    const shown = (): Promise<number> => heads.filter({ visible: true }).count();
    expect(await shown()).toBe(2);
    await page.getByRole("radio", { name: "/category" }).check();
    await heads.filter({ visible: true, hasText: "/category" }).waitFor();
    await tab.expectNoSidewaysScroll();
    await tab.expectAccessible();
    await tab.picture("lab-compare-360");
    for (const step of ["data", "workload", "candidates", "run", "verdict"]) {
      await tab.open(`lab?run=1&step=${step}`);
      await page.getByRole("list", { name: "Steps" }).waitFor();
      await tab.expectNoSidewaysScroll();
    }
    await tab.picture("lab-verdict-360");
  });
});
