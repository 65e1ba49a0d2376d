/** The frame: palette, keys, theme, session, updates, and who may not come in. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeInBrowser } from "./browserTest.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

describeInBrowser("the frame", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const { database } = await stage.client.databases.create({ id: "shop" });
    await database.containers.create({ id: "orders", partitionKey: "/customerId" });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("every page is reached by mouse, and says which it is", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const rail = tab.page.getByRole("navigation", { name: "Pages" });
    for (const name of [
      "Explorer",
      "Partitions",
      "Lab",
      "Jobs",
      "Alerts",
      "Settings",
      "Overview",
    ]) {
      await rail.getByRole("link", { name }).click();
      await tab.page.getByRole("heading", { level: 1, name: new RegExp(`^${name}`) }).waitFor();
      expect(await tab.page.title()).toBe(`${name} – Orrery`);
      expect(await rail.getByRole("link", { name }).getAttribute("aria-current")).toBe("page");
    }
  });

  test("every page is reached by keyboard, and letters belong to who types", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const { page } = tab;
    for (const [letter, name] of [
      ["e", "Explorer"],
      ["p", "Partitions"],
      ["l", "Lab"],
      ["j", "Jobs"],
      ["a", "Alerts"],
      ["r", "Requests"],
      ["s", "Settings"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(letter!);
      await page.getByRole("heading", { level: 1, name: new RegExp(`^${name}`) }).waitFor();
    }
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.getByText("Go to the next part of the page").waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("go?");
    expect(await page.getByRole("combobox", { name: /Go to/ }).inputValue()).toBe("go?");
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  test("the palette finds a container, and gives the focus back when it is closed", async () => {
    await using tab = await stage.tab();
    await tab.open();
    const { page } = tab;
    const button = page.getByRole("button", { name: "Go to…" });
    await button.click();
    await page.keyboard.press("Escape");
    await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("orders");
    await page.getByRole("option", { name: /shop\/orders/ }).waitFor();
    await tab.expectAccessible();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /^Partitions/ }).waitFor();
    expect(page.url()).toBe(`${stage.server.explorer}partitions/shop/orders`);
    expect(await page.getByRole("combobox", { name: "Container" }).inputValue()).toBe(
      "shop / orders",
    );
  });

  test("a link, a reload and the back button show the same view", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await tab.open("?span=6h&filter=ord");
    const six = page.getByRole("radio", { name: "6 hours" });
    await expect.poll(() => six.isChecked()).toBe(true);
    await page.getByText("1 day").click();
    expect(new URL(page.url()).search).toContain("span=24h");
    await page.goBack();
    await expect.poll(() => six.isChecked()).toBe(true);
    await page.reload();
    await expect.poll(() => six.isChecked()).toBe(true);
  });

  test("there is a page for addresses that lead nowhere", async () => {
    await using tab = await stage.tab();
    await tab.open("nowhere/at/all");
    await tab.page.getByText("There is no such page.").waitFor();
    await tab.page.getByRole("link", { name: "Go to Overview" }).click();
    await tab.page.getByRole("heading", { name: /^Overview/ }).waitFor();
  });

  test("the theme is there before the first paint, and is kept", async () => {
    await using tab = await stage.tab({ colorScheme: "light" });
    const { page } = tab;
    await tab.open("settings");
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    tab.expectedErrors.push(/ERR_FAILED/);
    await page.route("**/main-*.js", (route) => route.abort());
    await page.reload({ waitUntil: "domcontentloaded" });
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    expect(await ground()).toBe(dark);
    await page.unroute("**/main-*.js");
    expect(await page.evaluate(() => document.querySelector("[style]") === null)).toBe(true);
    await page.reload();
  });

  test("a hidden tab sends nothing for as long as it is hidden, and asks at once when shown", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await page.clock.install();
    await tab.open();
    await page.getByRole("grid").waitFor();
    const turn = (isHidden: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    await turn(true);
    const sentBefore = tab.sent.length;
    await page.clock.runFor(3_600_000);
    expect(tab.sent.slice(sentBefore)).toEqual([]);
    const asked = page.waitForRequest(/_orrery\/v1\/overview/);
    await turn(false);
    await asked;
  });

  test("updates can be paused, and nothing is lost", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await page.clock.install();
    await tab.open();
    await page.getByRole("grid").waitFor();
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "Resume updates" }).waitFor();
    const sentBefore = tab.sent.length;
    await page.clock.runFor(60_000);
    expect(tab.sent.slice(sentBefore)).toEqual([]);
    const asked = page.waitForRequest(/_orrery\/v1\/overview/);
    await page.getByRole("button", { name: "Resume updates" }).click();
    await asked;
  });

  test("where sessions are free, one that has ended is not noticed", async () => {
    await using tab = await stage.tab();
    const { page, context } = tab;
    await tab.open("explorer/shop/orders");
    await page.getByLabel("Query", { exact: true }).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("SELECT VALUE COUNT(1) FROM c");
    await context.clearCookies();
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("grid", { name: "Results" }).getByText("0", { exact: true }).waitFor();
  });

  test("a server that does not answer is said to be, with the age of what is shown", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await page.clock.install();
    await tab.open();
    await page.getByRole("grid").waitFor();
    tab.expectedErrors.push(/status of 503/);
    await page.route("**/_orrery/**", (route) =>
      route.fulfill({
        status: 503,
        json: { code: "ServiceUnavailable", message: "The disk is full." },
      }),
    );
    await page.clock.runFor(6000);
    await page.getByText("The disk is full. You see what it last said.").waitFor();
    expect(await page.getByRole("grid").count()).toBe(1);
    await page.unroute("**/_orrery/**");
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("The disk is full.").waitFor({ state: "detached" });
  });

  test("F6 goes around the parts of the page", async () => {
    await using tab = await stage.tab();
    const { page } = tab;
    await tab.open();
    const part = (): Promise<string | undefined> =>
      page.evaluate(() => document.activeElement?.closest("[data-pane]")?.className);
    const seen: (string | undefined)[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press("F6");
      seen.push(await part());
    }
    expect(seen).toEqual(["top", "rail", "main", "status"]);
    await page.keyboard.press("Shift+F6");
    expect(await part()).toBe("main");
  });

  test("pages of other origins are refused, even where the browser sends the cookie", async () => {
    await using tab = await stage.tab();
    await tab.open();
    await using elsewhere = await servedElsewhere();
    const { context } = tab;
    const other = await context.newPage();
    await other.goto(elsewhere.url);
    for (const path of ["/dbs", "/_orrery/v1/containers/shop/orders/split", "/_explorer/session"]) {
      const url = stage.server.endpoint + path;
      // Another port of this machine is the same site, so the cookie goes along; the origin is not.
      await other.evaluate(async (target) => {
        const init = { method: "POST", mode: "no-cors", credentials: "include" } as const;
        await fetch(target, { ...init, body: '{"id":"evil"}' }).catch(() => undefined);
      }, url);
      const asked = await other.evaluate(async (target) => {
        const headers = { "x-orrery-page": "1", "content-type": "application/json" };
        const init = { method: "POST", credentials: "include", headers, body: '{"id":"evil"}' };
        return fetch(target, init as RequestInit).then(
          () => "answered",
          () => "kept from it by the browser",
        );
      }, url);
      expect(asked).toBe("kept from it by the browser");
    }
    await other.close();
    const jobs = await fetch(`${stage.server.endpoint}/_orrery/v1/jobs`);
    expect(await jobs.json()).toMatchObject({ jobs: [] });
    const { resources } = await stage.client.databases.readAll().fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["shop"]);
  });
});

/** A page on another port of this machine. */
async function servedElsewhere(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>Elsewhere</title>");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describeInBrowser("an account with a key of its own", () => {
  const KEY = Buffer.alloc(64, 1).toString("base64");
  const READ_ONLY = Buffer.alloc(64, 2).toString("base64");
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ key: KEY, readOnlyKey: READ_ONLY });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("asks for the key once, keeps a session instead, and lets go of it", async () => {
    await using tab = await stage.tab();
    const { page, context } = tab;
    await page.goto(stage.server.explorer!);
    const field = page.getByLabel("Account key");
    await field.waitFor();
    await tab.expectAccessible();
    await page.keyboard.press("Tab");
    await page.keyboard.type("d3Jvbmc=");
    await page.keyboard.press("Enter");
    await page.getByText("That is no key of this account.").waitFor();
    await field.fill(KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Overview/ }).waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(KEY.slice(0, 12));
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    await page.reload();
    await page.getByRole("heading", { name: /^Overview/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sign out");
    await page.keyboard.press("Enter");
    await page.getByLabel("Account key").waitFor();
    await page.reload();
    await page.getByLabel("Account key").waitFor();
  });

  test("a session that ends takes nothing with it that was being typed", async () => {
    await using tab = await stage.tab();
    const { page, context } = tab;
    await stage.client.databases.create({ id: "shop" });
    await stage.client.database("shop").containers.create({ id: "orders", partitionKey: "/k" });
    await page.goto(`${stage.server.explorer}explorer/shop/orders?item=new`);
    await page.getByLabel("Account key").fill(KEY);
    await page.keyboard.press("Enter");
    const item = page.getByRole("dialog", { name: "New item" });
    await item.getByLabel("JSON").fill('{"id":"kept","k":"1"}');
    await context.clearCookies();
    await item.getByRole("button", { name: "Create the item" }).click();
    const ended = page.getByRole("dialog", { name: "The session has ended" });
    await ended.waitFor();
    expect(await item.isVisible()).toBe(false);
    await tab.expectAccessible();
    // The focus is where the key belongs: it is typed, and nothing is looked for.
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    // What met with the end is sent again: the item is there without another click.
    await page.getByRole("dialog", { name: "Item kept" }).waitFor();
    const { resource } = await stage.client
      .database("shop")
      .container("orders")
      .item("kept", "1")
      .read();
    expect(resource).toMatchObject({ id: "kept" });
  });

  describe("a read-only key", () => {
    test("opens a page that only reads, and shows no key", async () => {
      await using tab = await stage.tab();
      const { page } = tab;
      await page.goto(`${stage.server.explorer}settings`);
      await page.getByLabel("Account key").fill(READ_ONLY);
      await page.getByRole("button", { name: "Open the page" }).click();
      await page.getByText("This session only reads: it was opened").waitFor();
      expect(await page.getByRole("button", { name: "Show the key" }).count()).toBe(0);
    });
  });
});
