/**
 * A browser that looks at a server: both are started once for a file of tests, each test gets a tab
 * of its own, and whatever a test looks at, it also says: the page wrote no error to the console.
 *
 * Pictures: with `ORRERY_PICTURES=<folder>` in the environment, `picture(name)` writes one there.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { launchBrowser } from "./chromium.ts";

interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests that the page has sent to the server, as method and path, in order. */
  readonly sent: string[];
  /** What the page may write to the console as an error in this test, which is about that. */
  readonly expectedErrors: RegExp[];
  /** Goes to a place below `/_explorer/` and waits until a page is shown there. */
  open(path?: string): Promise<void>;
  /** Fails with what axe finds, in words. */
  expectAccessible(): Promise<void>;
  expectNoSidewaysScroll(): Promise<void>;
  picture(name: string): Promise<void>;
}

export interface Stage extends AsyncDisposable {
  readonly server: OrreryServer;
  readonly client: CosmosClient;
  tab(options?: BrowserContextOptions): Promise<Tab>;
}

/** A message of the browser about an answer of 400 and above, which tests may be about. */
const ANSWERED = /^Failed to load resource: the server responded with a status of 4\d\d/;

export async function openStage(options: OrreryOptions = {}): Promise<Stage> {
  const server = await startOrrery({ memory: true, ...options });
  const browser = await launchBrowser();
  const { endpoint, key } = server;
  return {
    server,
    client: new CosmosClient({ endpoint, key }),
    tab: (tabOptions) => openTab(browser, server, tabOptions),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.close({ quietMs: 0 });
    },
  };
}

async function openTab(
  browser: Browser,
  { explorer, endpoint }: OrreryServer,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    ignoreHTTPSErrors: true,
    ...options,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const sent: string[] = [];
  const expectedErrors: RegExp[] = [ANSWERED];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  page.on("request", (request) => {
    sent.push(`${request.method()} ${request.url().replace(endpoint, "")}`);
  });
  return {
    page,
    context,
    sent,
    expectedErrors,
    async open(path = "") {
      await page.goto(`${explorer}${path}`);
      await page.locator("main.main h1").waitFor();
    },
    expectAccessible: () => expectAccessible(page),
    async expectNoSidewaysScroll() {
      const [content, window] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(content).toBeLessThanOrEqual(window!);
    },
    async picture(name) {
      const folder = process.env["ORRERY_PICTURES"];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      const isExpected = (error: string): boolean =>
        expectedErrors.some((pattern) => pattern.test(error));
      expect(errors.filter((error) => !isExpected(error))).toEqual([]);
    },
  };
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The policy lets no script in but the page's own; what a test evaluates is not bound by it. */
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const findings = await page.evaluate(async (rules) => {
    const { axe: run } = window as unknown as { axe: typeof axe };
    const { violations } = await run.run(document, { runOnly: { type: "tag", values: rules } });
    return violations.map(({ id, help, nodes }) => {
      const places = nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`);
      return [`${id}: ${help}`, ...places].join("\n");
    });
  }, RULES);
  expect(findings.join("\n\n")).toBe("");
}
