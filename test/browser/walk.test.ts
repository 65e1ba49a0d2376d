/**
 * The way of a newcomer, from an empty server to a migration and back: a container is made while
 * its items fall into partitions, items come in, a query tells its cost, a hot partition forms, the
 * page says that a split will not help, keys are compared, the better one is moved to, and the move
 * is taken back. Once by mouse, and once by keyboard alone.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import { refuseSome } from "./load.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const PATIENCE = { timeout: 15_000 };
const TABS_MAX = 150;
const WORKLOAD = `
name: orders
growth: { itemsPerDay: 1 million, retentionDays: 90, peakFactor: 3 }
horizonMonths: 6
operations:
  - { id: place, kind: create, rate: 12 }
  - { id: show, kind: pointRead, rate: 60 }
  - { id: mine, kind: query, rate: 10, sql: "SELECT * FROM c WHERE c.customerId = @customer" }
`;

const HOT = { id: "hot", category: "toys", customerId: "c1", note: "n".repeat(4000) };

/** The same orders every time: one category has most of them. */
function orders(): readonly string[] {
  let seed = 11;
  const draw = (count: number): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((seed / 2 ** 32) * count);
  };
  return Array.from({ length: 40 }, (_, at) =>
    JSON.stringify({
      id: `o${at}`,
      customerId: `c${draw(20)}`,
      category: draw(5) < 4 ? "toys" : "books",
    }),
  );
}

/** What somebody does with a page: with a mouse, or with a keyboard. */
interface Hand {
  press(place: Locator): Promise<void>;
  write(place: Locator, text: string): Promise<void>;
  choose(place: Locator, value: string): Promise<void>;
  check(radio: Locator): Promise<void>;
}

function mouse(): Hand {
  return {
    press: (place) => place.click(PATIENCE),
    write: (place, text) => place.fill(text, PATIENCE),
    choose: async (place, value) => void (await place.selectOption(value, PATIENCE)),
    check: (radio) => radio.check(PATIENCE),
  };
}

/** Goes with Tab from where it is to what it wants, as somebody without a mouse does. */
function keyboard(page: Page): Hand {
  const isAt = (place: Locator): Promise<boolean> =>
    place.evaluate((element) => element === document.activeElement);
  const reach = async (place: Locator): Promise<void> => {
    await place.waitFor(PATIENCE);
    for (let count = 0; count < TABS_MAX; count++) {
      if (await isAt(place)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not come to ${place}`);
  };
  const press = async (place: Locator): Promise<void> => {
    await reach(place);
    await page.keyboard.press("Enter");
  };
  return {
    press,
    async write(place, text) {
      await reach(place);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    },
    async choose(place, value) {
      await reach(place);
      for (let count = 0; count < TABS_MAX; count++) {
        if ((await place.inputValue()) === value) return;
        await page.keyboard.press("ArrowDown");
      }
      throw new Error(`arrows do not come to ${value}`);
    },
    async check(radio) {
      await radio.waitFor(PATIENCE);
      const name = (await radio.getAttribute("name")) ?? "";
      const inGroup = (): Promise<boolean> =>
        page.evaluate((group) => {
          const active = document.activeElement;
          return active instanceof HTMLInputElement && active.name === group;
        }, name);
      for (let count = 0; count < TABS_MAX && !(await inGroup()); count++) {
        await page.keyboard.press("Tab");
      }
      for (let count = 0; count < TABS_MAX && !(await radio.isChecked()); count++) {
        await page.keyboard.press("ArrowRight");
      }
      expect(await radio.isChecked()).toBe(true);
    },
  };
}

describeInBrowser("the way of a newcomer", () => {
  let stage: Stage;
  beforeAll(async () => {
    // A physical partition serves 400 RU/s here, so that few requests fill one.
    stage = await openStage({ limits: { partitionRate: 400 } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(["mouse", "keyboard"] as const)("by %s", async (by) => {
    await using tab = await stage.tab();
    const { page } = tab;
    await tab.open();
    const hand = by === "mouse" ? mouse() : keyboard(page);
    const name = `${by}/orders`;

    // A server without containers says where to begin; later the explorer is the place.
    if (by === "mouse") {
      await hand.press(page.getByRole("button", { name: /^Choose a key and make a container/ }));
    } else {
      await goTo(page, by, "Explorer", "e");
      await hand.press(page.getByRole("button", { name: "New container…" }).first());
    }
    const dialog = page.getByRole("dialog", { name: "New container" });
    await hand.write(dialog.getByLabel("Database id"), by);
    await hand.write(dialog.getByLabel("Container id"), "orders");
    await hand.write(dialog.getByLabel("Partition key"), "/category");
    await hand.write(dialog.getByLabel("RU/s"), "1200");
    await hand.write(dialog.getByLabel("Items to try the key on"), orders().join("\n"));
    await dialog
      .getByText(/^40 items in 2 logical partitions/)
      .first()
      .waitFor(PATIENCE);
    await tab.picture(`walk-${by}-new-container`);
    await hand.press(dialog.getByRole("button", { name: "Create the container" }));
    await page.getByRole("heading", { level: 2, name }).waitFor(PATIENCE);

    await hand.press(page.getByRole("button", { name: /^Import/ }));
    const importing = page.getByRole("dialog", { name: /^Import a file/ });
    await importing.locator("input[type=file]").setInputFiles({
      name: "orders.ndjson",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(orders().join("\n")),
    });
    await hand.press(importing.getByRole("button", { name: "Import 40 items" }));
    await importing.getByText("40 of 40 items written").waitFor(PATIENCE);
    await hand.press(importing.getByRole("button", { name: "Close" }).last());

    await hand.press(page.getByRole("button", { name: /^Run/ }));
    await page.getByRole("grid", { name: "Results" }).getByText("toys").first().waitFor(PATIENCE);

    await refuseSome(stage, { database: by, container: "orders" }, HOT);
    await goTo(page, by, "Partitions", "p");
    await expect
      .poll(() => page.locator(".answer").textContent(), PATIENCE)
      .toMatch(/A split will not help: .*"toys"/);
    await tab.picture(`walk-${by}-partitions`);

    await goTo(page, by, "Lab", "l");
    await hand.check(page.getByRole("radio", { name: "A container of this server" }));
    await hand.choose(page.getByLabel("Take the items of"), name);
    await hand.press(page.getByRole("button", { name: "Go on to the workload" }));
    await hand.write(page.getByLabel("As YAML or JSON; edit it as you like"), WORKLOAD);
    await page.getByText("understood").waitFor(PATIENCE);
    await hand.press(page.getByRole("button", { name: "Go on to the keys" }));
    await hand.check(page.getByRole("radio", { name: "Mine only" }));
    await hand.write(page.getByLabel("Keys of yours, one a line"), "/customerId\n/category");
    await hand.press(page.getByRole("button", { name: "Go on to the run" }));
    await hand.press(page.getByRole("button", { name: "Start the run" }));
    await page.getByRole("region", { name: "Comparison" }).waitFor(PATIENCE);
    await tab.picture(`walk-${by}-lab`);
    await hand.press(page.getByRole("link", { name: /6\. Verdict/ }));
    const key = page.getByLabel("For the key");
    await hand.choose(key, (await key.getByText("/customerId").getAttribute("value"))!);
    await hand.press(page.getByRole("button", { name: "Start the migration…" }));

    await page.getByRole("heading", { level: 1, name: "Jobs: start a copy" }).waitFor(PATIENCE);
    expect(await page.getByLabel("New key").inputValue()).toBe("/customerId");
    await hand.press(page.getByRole("button", { name: "Plan the copy" }));
    await page.getByText("nothing in the way").waitFor(PATIENCE);
    await hand.press(page.getByRole("button", { name: "Start the copy" }));
    await page.getByText("Everything is copied. Verify").waitFor(PATIENCE);
    await hand.press(page.getByRole("button", { name: "Verify the copy" }));
    await page.getByText("complete and verified").waitFor(PATIENCE);
    await hand.press(page.getByRole("button", { name: `Cut over ${name}…` }));
    await hand.write(page.getByLabel(`Type ${name} to cut over`), name);
    await page.keyboard.press("Enter");
    await page.getByText("The copy is the container now").waitFor(PATIENCE);
    await tab.picture(`walk-${by}-switched`);
    expect(await keyOf(stage, by)).toEqual(["/customerId"]);
    await hand.press(page.getByRole("button", { name: "Revert…" }));
    await hand.press(page.getByRole("button", { name: "Revert the cut-over" }));
    await page.getByText("The cut-over was taken back").waitFor(PATIENCE);
    expect(await keyOf(stage, by)).toEqual(["/category"]);
  });
});

async function goTo(page: Page, by: string, title: string, key: string): Promise<void> {
  if (by === "mouse") {
    await page.getByRole("navigation").getByRole("link", { name: title }).click(PATIENCE);
  } else {
    await page.locator("main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press(key);
  }
  await page.getByRole("heading", { level: 1, name: new RegExp(`^${title}`) }).waitFor(PATIENCE);
}

async function keyOf({ client }: Stage, database: string): Promise<readonly string[] | undefined> {
  const { resource } = await client.database(database).container("orders").read();
  return resource?.partitionKey?.paths;
}
