/** Drawings as text: the marks are those of `lab/drawing`, which the web page shows as well. */
import { SHADES } from "../../drawing/loadCharts.ts";
import type { DrawnMark } from "../../drawing/mark.ts";
import type { Drawing } from "../../drawing/plot.ts";
import type { Markup } from "./markup.ts";
import { html, raw } from "./markup.ts";

/** How wide a drawing is, in units; the page makes it as wide as there is room. */
export const DRAWING_WIDTH = 320;

export function figure({ title, sentence, width, height, marks }: Drawing): Markup {
  return html`<figure><h4>${title}</h4>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}. ${sentence}">\
${marksText(marks)}</svg>
<figcaption>${sentence}</figcaption></figure>
`;
}

/** Names of elements and attributes are constants of the drawings; all else is text. */
export function marksText(marks: readonly DrawnMark[]): Markup {
  return html`${marks.map(({ name, attributes, children }) => {
    const written = Object.entries(attributes).map(
      ([attribute, value]) => html` ${raw(attribute)}="${value}"`,
    );
    if (children.length === 0) return html`<${raw(name)}${written}/>`;
    const inside = children.map((child) =>
      typeof child === "string" ? html`${child}` : marksText([child]),
    );
    return html`<${raw(name)}${written}>${inside}</${raw(name)}>`;
  })}`;
}

/** What the shades mean, once for the page. */
export function heatLegend(): Markup {
  return html`<p class="legend" role="note"><span>RU/s in % of the allotment of the partition: \
0</span>${Array.from(
    { length: SHADES },
    (_, shade) => html`<i class="key k${shade}"></i>`,
  )}<span>100</span><i class="key kover"></i><span>more than allotted: throttled</span></p>`;
}
