/**
 * A real browser for tests: the Chromium that the package `@sparticuz/chromium` carries, unpacked
 * once into the system's folder for temporary files and started by `playwright-core`. Nothing is
 * downloaded.
 *
 * The package has it for Linux on x64 only. Elsewhere these tests are skipped, with one line that
 * says so; but not where `CI` is set: there they fail instead.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

const PACKAGE = "@sparticuz/chromium";
/** Makes the package unpack the shared libraries, too, that a machine may not have. */
const LAMBDA = { AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" };

/** Arguments of our own: those of the package run everything in one process, which a page ends. */
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--font-render-hinting=none",
  "--hide-scrollbars",
];

/** Why there is no browser on this machine; `undefined` when there is one. */
export function whyNoBrowser(): string | undefined {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return `${PACKAGE} has no Chromium for ${process.platform} on ${process.arch}`;
}

export async function launchBrowser(): Promise<Browser> {
  const folder = unpackedFolder();
  const libraries = join(folder, "al2023", "lib");
  const others = process.env["LD_LIBRARY_PATH"];
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: ARGUMENTS,
    env: {
      ...process.env,
      FONTCONFIG_PATH: join(folder, "fonts"),
      // The machine's own libraries come first: those of the package are for who has none.
      LD_LIBRARY_PATH: others === undefined ? libraries : `${others}:${libraries}`,
    },
  });
}

/**
 * The package unpacks into the folder for temporary files and takes whatever lies there for
 * complete. So it does that in a folder of its own, which then gets its name in one step.
 */
function unpackedFolder(): string {
  const require = createRequire(import.meta.url);
  const entry = require.resolve(PACKAGE);
  const { version } = JSON.parse(
    readFileSync(join(entry.slice(0, entry.lastIndexOf("chromium") + 8), "package.json"), "utf8"),
  ) as { readonly version: string };
  const folder = join(tmpdir(), `orrery-chromium-${version}`);
  if (existsSync(join(folder, "chromium"))) return folder;
  const fresh = mkdtempSync(join(tmpdir(), "orrery-chromium-new-"));
  const code = `const { default: c } = await import(${JSON.stringify(PACKAGE)}); await c.executablePath();`;
  const options = {
    cwd: dirname(import.meta.filename),
    env: { ...process.env, ...LAMBDA, TMPDIR: fresh },
  };
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    ...options,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
  writeFileSync(join(fresh, "fonts", "fonts.conf"), fontsConfiguration(folder));
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another process was quicker; its folder is as good.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, "chromium"))) throw error;
  }
  return folder;
}

/** The package's own names a folder that its fonts are not in; without any font Chromium ends. */
function fontsConfiguration(folder: string): string {
  const folders = [join(folder, "fonts", "fonts"), "/usr/share/fonts"];
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    ...folders.map((each) => `  <dir>${each}</dir>`),
    `  <cachedir>${join(folder, "fonts-cache")}</cachedir>`,
    "</fontconfig>",
    "",
  ].join("\n");
}
