/**
 * Imports a typed module of the checkout from a script that runs without a compiler: its types are
 * taken off first. Only for modules that import nothing but Node's own.
 */
import { readFileSync } from "node:fs";
import { transform } from "esbuild";

/**
 * @param {string} path from the root of the checkout
 * @returns {Promise<unknown>} the module; the caller says what its type is
 */
export async function importTyped(path) {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  const { code } = await transform(text, { loader: "ts" });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}
