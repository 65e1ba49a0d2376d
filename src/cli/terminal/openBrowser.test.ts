/** Which command opens a browser, by platform. */
import { expect, test } from "vitest";
import { openCommandOf } from "./openBrowser.ts";

const URL_WITH_AMPERSAND = "http://127.0.0.1:8081/_explorer/?a=1&b=$(x)";

test.each([
  ["darwin", "open"],
  ["linux", "xdg-open"],
  ["freebsd", "xdg-open"],
  ["win32", "rundll32"],
])("on %s it is %s, and the address is one argument", (platform, command) => {
  const [first, ...args] = openCommandOf(platform, URL_WITH_AMPERSAND);
  expect(first).toBe(command);
  expect(args.at(-1)).toBe(URL_WITH_AMPERSAND);
});
