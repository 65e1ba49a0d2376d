/** What is exported: one name has one meaning, and somebody else needs it. */
import { exportsOf, type Files, importsOf, productionOf, sourcesOf } from "./sources.ts";

/**
 * Types that two files export under one name. A reader who searches for a name is to find one
 * thing. `allowed`: name → why both are called so.
 */
export function complaintsAboutSameNames(
  files: Files,
  allowed: Readonly<Record<string, string>>,
): string[] {
  const owners = new Map<string, string[]>();
  for (const [path, text] of productionOf(files)) {
    if (!path.startsWith("src/")) continue;
    for (const { kind, name } of exportsOf(text)) {
      if (kind === "type") owners.set(name, [...(owners.get(name) ?? []), path]);
    }
  }
  const shared = [...owners].filter(([, paths]) => paths.length > 1);
  const idle = Object.keys(allowed).filter((name) => (owners.get(name)?.length ?? 0) < 2);
  return [
    ...shared
      .filter(([name]) => allowed[name] === undefined)
      .map(([name, paths]) => `${paths.join(" and ")} both export the type ${name}`),
    ...idle.map((name) => `${name} is exported once: its exception is not needed`),
  ];
}

/** Exports that no other file imports. */
export function complaintsAboutDeadExports(files: Files, entryPoints: readonly string[]): string[] {
  const used = new Set<string>();
  for (const [path, text] of sourcesOf(files)) {
    for (const { path: target, names } of importsOf(path, text)) {
      for (const name of names) used.add(`${target} ${name}`);
    }
  }
  const found: string[] = [];
  for (const [path, text] of sourcesOf(files)) {
    if (entryPoints.includes(path)) continue;
    for (const { name, line } of exportsOf(text)) {
      const isUsed = used.has(`${path} ${name}`) || used.has(`${path} *`);
      if (!isUsed) found.push(`${path}:${line} exports ${name}, which nobody imports`);
    }
  }
  return found;
}
