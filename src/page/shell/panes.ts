/** F6: from one part of the page to the next, as between the panes of a program. */

const FOCUSABLE =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';

/** `step` is 1 or -1. Parts are marked with `data-pane`, in the order of the document. */
export function movePane(step: number): void {
  const panes = [...document.querySelectorAll<HTMLElement>("[data-pane]")].filter(
    (pane) => pane.offsetParent !== null || pane.getClientRects().length > 0,
  );
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length];
  if (next === undefined) return;
  const first = [...next.querySelectorAll<HTMLElement>(FOCUSABLE)].find(
    (each) => each.tabIndex >= 0,
  );
  (first ?? next).focus();
}
