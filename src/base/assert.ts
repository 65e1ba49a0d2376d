/** A broken invariant: a bug in this program, never a fault of the caller or the disk. */
export class Defect extends Error {
  override readonly name = "Defect";
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
