/**
 * The figures of `growth` as a drawing: cost per request against the number of items, both on
 * logarithmic scales, so that what is flat is a flat line. It has colours for a light and for a dark
 * background and no background of its own.
 */

/** @typedef {{ name: string, points: readonly { itemCount: number, micros: number }[] }} Curve */

const WIDTH = 760;
const HEIGHT = 420;
const PLOT = { left: 62, right: 520, top: 20, bottom: 370 };
const NAME_HEIGHT_MIN = 15;
/** [on light, on dark], distinct in lightness as well as in hue. */
const COLOURS = [
  ["#1b5fa8", "#7db8f2"],
  ["#b3461b", "#f39a6e"],
  ["#2f7a3d", "#86d296"],
  ["#7a3d9c", "#cf9bea"],
  ["#8a6a00", "#e2c04b"],
  ["#a3265c", "#f08bb4"],
  ["#0d7377", "#6fd3d6"],
  ["#555555", "#bbbbbb"],
];
const DASHES = ["", "6 3", "2 3"];

/**
 * @param {readonly Curve[]} curves each with a point for every size
 * @returns {string} an SVG
 */
export function growthPlot(curves) {
  const points = curves.flatMap((curve) => curve.points);
  const x = scaleOf(
    points.map(({ itemCount }) => itemCount),
    PLOT.left,
    PLOT.right,
  );
  const y = scaleOf(
    points.map(({ micros }) => micros),
    PLOT.bottom,
    PLOT.top,
  );
  const sizes = [...new Set(points.map(({ itemCount }) => itemCount))];
  const lines = [
    ...y.ticks.flatMap((micros) => [
      `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y.at(micros)}" y2="${y.at(micros)}"/>`,
      `<text x="${PLOT.left - 8}" y="${y.at(micros) + 4}" text-anchor="end">${micros.toLocaleString("en")}</text>`,
    ]),
    ...sizes.map(
      (size) =>
        `<text x="${x.at(size)}" y="${PLOT.bottom + 20}" text-anchor="middle">${size.toLocaleString("en")}</text>`,
    ),
    `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 42}" text-anchor="middle">items</text>`,
    `<text x="14" y="${PLOT.top - 6}">µs of server CPU per request</text>`,
    ...curves.map((curve, index) => drawn(curve, index, x.at, y.at)),
    ...namesOf(curves, y.at),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Server CPU per request against the number of items">\n<style>${styleOf(curves.length)}</style>\n${lines.join("\n")}\n</svg>\n`;
}

/**
 * @param {readonly number[]} values
 * @param {number} from where the least is drawn
 * @param {number} to where the greatest is
 */
function scaleOf(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const at = (/** @type {number} */ value) =>
    Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return { at, ticks };
}

/** @type {(curve: Curve, index: number, x: (value: number) => number, y: (value: number) => number) => string} */
function drawn({ points }, index, x, y) {
  const path = points.map(({ itemCount, micros }) => `${x(itemCount)},${y(micros)}`).join(" ");
  const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
  const dots = points.map(
    ({ itemCount, micros }) =>
      `<circle class="f${index % COLOURS.length}" cx="${x(itemCount)}" cy="${y(micros)}" r="3"/>`,
  );
  return `<polyline class="s${index % COLOURS.length}" points="${path}"${dash === "" ? "" : ` stroke-dasharray="${dash}"`}/>${dots.join("")}`;
}

/**
 * Names beside the ends of their lines, pushed apart where the ends are close.
 * @type {(curves: readonly Curve[], y: (value: number) => number) => string[]}
 */
function namesOf(curves, y) {
  const ends = curves
    .map(({ name, points }, index) => ({ name, index, at: y(points.at(-1)?.micros ?? 1) }))
    .sort((a, b) => a.at - b.at);
  let last = PLOT.top - NAME_HEIGHT_MIN;
  const overflow = Math.max(0, ends.length * NAME_HEIGHT_MIN - (HEIGHT - PLOT.top));
  return ends.map(({ name, index, at }) => {
    last = Math.max(at - overflow, last + NAME_HEIGHT_MIN);
    return `<text class="f${index % COLOURS.length}" x="${PLOT.right + 12}" y="${last + 4}">${name}</text>`;
  });
}

/** @param {number} count */
function styleOf(count) {
  const rules = (/** @type {number} */ which) =>
    COLOURS.slice(0, count)
      .map(
        (colour, index) => `.s${index}{stroke:${colour[which]}}.f${index}{fill:${colour[which]}}`,
      )
      .join("");
  return (
    "text{font:12px system-ui,sans-serif;fill:#444}.grid{stroke:#8884}" +
    `polyline{fill:none;stroke-width:2}${rules(0)}` +
    `@media(prefers-color-scheme:dark){text{fill:#ccc}${rules(1)}}`
  );
}
