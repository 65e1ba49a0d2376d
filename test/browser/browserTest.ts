/** Describes tests that need a browser; where there is none, says so once and skips them. */
import { describe } from "vitest";
import { whyNoBrowser } from "./chromium.ts";

const reason = whyNoBrowser();
if (reason !== undefined) {
  if (process.env["CI"] !== undefined) throw new Error(`Tests need a browser: ${reason}.`);
  process.stderr.write(`Tests in a browser are skipped: ${reason}.\n`);
}

export const describeInBrowser: typeof describe.skip =
  reason === undefined ? describe : describe.skip;
