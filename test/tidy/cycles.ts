/** Rings of files that import each other's values: none of them can be read, or tested, first. */
import { type Files, importsOf, productionOf } from "./sources.ts";

/** Types are erased before anything runs, so rings of types are left to the law of folders. */
export function complaintsAboutCycles(files: Files): string[] {
  const sources = productionOf(files);
  const imported = new Map(
    [...sources].map(([path, text]) => {
      const values = importsOf(path, text).filter(({ isType }) => !isType);
      return [path, values.map((one) => one.path).filter((target) => sources.has(target))];
    }),
  );
  return ringsIn(imported).map((ring) => `${ring.sort().join(", ")} import each other`);
}

/** Tarjan's strongly connected components, those with more than one member. */
export function ringsIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const rings: string[][] = [];
  const visit = (node: string): number => {
    const number = numbers.size;
    numbers.set(node, number);
    lowest.set(node, number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = numbers.has(next)
        ? stack.includes(next)
          ? numbers.get(next)!
          : number
        : visit(next);
      lowest.set(node, Math.min(lowest.get(node)!, reached));
    }
    if (lowest.get(node) === number) {
      const ring = stack.splice(stack.indexOf(node));
      if (ring.length > 1) rings.push(ring);
    }
    return lowest.get(node)!;
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return rings;
}
