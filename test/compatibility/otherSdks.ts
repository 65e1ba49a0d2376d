/**
 * What the programmes of other languages' SDKs do (`test/sdks`), read off their sources: which
 * version of which package, and which operations. `npm run campaign sdks` runs them.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { programmeDigest } from "./programmeDigest.ts";

export interface SdkProgramme {
  readonly language: string;
  /** Package and version. */
  readonly sdk: string;
  /** In the order in which they are run. */
  readonly operations: readonly string[];
  /** Of all its files. */
  readonly digest: string;
}

/** Where the version of a package is written down, and where the programme is. */
const SOURCES: readonly (readonly [string, string, string, RegExp, string])[] = [
  [
    "Python",
    "azure-cosmos",
    "python/requirements.txt",
    /azure-cosmos==(\S+)/,
    "python/programme.py",
  ],
  ["Go", "azcosmos", "go/go.mod", /azcosmos v(\S+)/, "go/main.go"],
  [
    "Java",
    "azure-cosmos",
    "java/pom.xml",
    /<artifactId>azure-cosmos<\/artifactId>\s*<version>([^<]+)</,
    "java/src/main/java/Programme.java",
  ],
  [
    "Java-direct",
    "azure-cosmos",
    "java/pom.xml",
    /<artifactId>azure-cosmos<\/artifactId>\s*<version>([^<]+)</,
    "java/src/main/java/Programme.java",
  ],
  [
    "Rust",
    "azure_data_cosmos",
    "rust/Cargo.toml",
    /azure_data_cosmos = \{ version = "=?([^"]+)"/,
    "rust/src/main.rs",
  ],
];

export function readProgrammes(): readonly SdkProgramme[] {
  return SOURCES.map(([language, name, manifest, version, programme]) => {
    const found = version.exec(textOf(manifest))?.[1];
    if (found === undefined) throw new Error(`test/sdks/${manifest} names no version of ${name}`);
    const steps = textOf(programme).matchAll(/\bstep\(\s*"([^"]+)"/g);
    const operations = [...steps].map(([, operation]) => operation!);
    const digest = programmeDigest(pathOf(manifest.split("/")[0]!));
    return { language, sdk: `${name} ${found}`, operations, digest };
  });
}

function textOf(path: string): string {
  return readFileSync(pathOf(path), "utf8");
}

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../sdks/${path}`, import.meta.url));
}
