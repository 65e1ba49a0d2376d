/** Drawings of 16 by 16 that stand beside words, never in place of them. */
import type { VNode } from "preact";

const PATHS = {
  overview: "M2 13.5h12M4 13V8M8 13V3M12 13v-3",
  explorer: "M2.5 3.5h11v9h-11zM5 6.5l2 1.75L5 10M8.5 10.5h2.5",
  partitions: "M2.5 3h11v10h-11zM6 3v10M10 3v10M6 8h4",
  lab: "M6.5 2.5h3M7 2.5v4L3.5 13h9L9 6.5v-4M5.2 10h5.6",
  jobs: "M2.5 5.5h9M9 3l2.5 2.5L9 8M13.5 10.5h-9M7 8l-2.5 2.5L7 13",
  alerts: "M8 2.5a4 4 0 0 1 4 4v2.8l1.2 2.2H2.8L4 9.3V6.5a4 4 0 0 1 4-4zM6.5 13.5h3",
  settings: "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.2 3.3v3.4M5.7 9.3v3.4",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.3 3.3",
  down: "M4 6.5L8 10.5l4-4",
  right: "M6.5 4l4 4-4 4",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
