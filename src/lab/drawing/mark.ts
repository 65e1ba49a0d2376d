/**
 * What drawings are made of: elements of SVG as values. Whoever shows a drawing turns them into
 * text (the report) or into elements (the page), so that both show the same one, and neither takes
 * a text from the data for anything but a text.
 */
export interface DrawnMark {
  readonly name: "path" | "text" | "rect" | "circle" | "polyline" | "title";
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (DrawnMark | string)[];
}

export function mark(
  name: DrawnMark["name"],
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (DrawnMark | string)[]
): DrawnMark {
  const written = Object.entries(attributes).map(([attribute, value]) => [
    attribute,
    typeof value === "number" ? placed(value) : value,
  ]);
  return { name, attributes: Object.fromEntries(written), children };
}

/** Places in drawings: a tenth of a unit is enough, and no place is nowhere. */
export function placed(amount: number): string {
  return Number.isFinite(amount) ? String(Math.round(amount * 10) / 10) : "0";
}

/** The letters of a path, with places between them. */
export function path(strings: TemplateStringsArray, ...places: readonly number[]): string {
  return strings.map((letters, at) => (at === 0 ? "" : placed(places[at - 1]!)) + letters).join("");
}
