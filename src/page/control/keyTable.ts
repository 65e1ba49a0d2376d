/**
 * Every key of the page, in one table: what is not here is bound nowhere. `?` shows it.
 *
 * Keys that belong to browsers and screen readers are left alone: no `Alt` with a letter or an
 * arrow, no `Ctrl+N`, `T` or `W`, no `F5` outside the editor, and no letter by itself while
 * somebody types. Arrows, `Enter` and `Escape` inside a part (a table, tabs, a dialog) are those of
 * the part's pattern; they are listed so that people find them, and acted on in the part.
 */

interface KeyRow {
  /** `Mod` is Ctrl, or ⌘ on a Mac. A space separates keys that follow each other. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly where: string;
  /** True when the key works while somebody types. */
  readonly isForTyping?: boolean;
}

const EVERYWHERE = "Everywhere";
const LISTS = "Tables and lists";
const EXPLORER = "Explorer";
const MAPS = "Maps and charts";

export const KEY_TABLE = {
  palette: {
    keys: ["Mod+K"],
    does: "Go to a page, a container or an action",
    where: EVERYWHERE,
    isForTyping: true,
  },
  keyList: { keys: ["?"], does: "Show this list", where: EVERYWHERE },
  filter: { keys: ["/"], does: "Filter the list on the page", where: EVERYWHERE },
  pause: { keys: ["p"], does: "Pause or resume updates", where: EVERYWHERE },
  nextPane: {
    keys: ["F6"],
    does: "Go to the next part of the page",
    where: EVERYWHERE,
    isForTyping: true,
  },
  formerPane: {
    keys: ["Shift+F6"],
    does: "Go to the part before",
    where: EVERYWHERE,
    isForTyping: true,
  },
  overview: { keys: ["g o"], does: "Go to Overview", where: EVERYWHERE },
  explorer: { keys: ["g e"], does: "Go to Explorer", where: EVERYWHERE },
  partitions: { keys: ["g p"], does: "Go to Partitions", where: EVERYWHERE },
  lab: { keys: ["g l"], does: "Go to Lab", where: EVERYWHERE },
  jobs: { keys: ["g j"], does: "Go to Jobs", where: EVERYWHERE },
  alerts: { keys: ["g a"], does: "Go to Alerts", where: EVERYWHERE },
  requests: { keys: ["g r"], does: "Go to Requests", where: EVERYWHERE },
  settings: { keys: ["g s"], does: "Go to Settings", where: EVERYWHERE },
  rows: { keys: ["↑ ↓ ← →"], does: "Move between rows and cells", where: LISTS },
  ends: {
    keys: ["Home End"],
    does: "First or last of the row; with Mod of the table",
    where: LISTS,
  },
  open: { keys: ["Enter"], does: "Open what is picked", where: LISTS },
  run: {
    keys: ["Mod+Enter", "Shift+Enter"],
    does: "Run the query, or what is selected of it",
    where: EXPLORER,
    isForTyping: true,
  },
  runInEditor: {
    keys: ["F5"],
    does: "The same, in the editor",
    where: EXPLORER,
    isForTyping: true,
  },
  cancel: {
    keys: ["Escape"],
    does: "Cancel the query; close a panel; leave an edit",
    where: EXPLORER,
    isForTyping: true,
  },
  save: { keys: ["Mod+S"], does: "Save the staged changes", where: EXPLORER, isForTyping: true },
  review: {
    keys: ["Mod+."],
    does: "Review the staged changes",
    where: EXPLORER,
    isForTyping: true,
  },
  newTab: { keys: ["Mod+J"], does: "New query", where: EXPLORER, isForTyping: true },
  formerPage: { keys: ["["], does: "Previous page of results", where: EXPLORER },
  nextPage: { keys: ["]"], does: "Next page of results", where: EXPLORER },
  firstView: { keys: ["1"], does: "Results as a table", where: EXPLORER },
  secondView: { keys: ["2"], does: "Results as a tree", where: EXPLORER },
  thirdView: { keys: ["3"], does: "Results as JSON", where: EXPLORER },
  fourthView: { keys: ["4"], does: "What the query cost", where: EXPLORER },
  moveCursor: { keys: ["↑ ↓ ← →"], does: "Move the cursor", where: MAPS },
  zoomIn: { keys: ["+"], does: "Zoom in at the cursor", where: MAPS },
  zoomOut: { keys: ["-", "Backspace"], does: "Zoom out", where: MAPS },
  pin: { keys: ["Enter"], does: "Pin the place under the cursor", where: MAPS },
  resetZoom: { keys: ["r"], does: "Show everything", where: MAPS },
} as const satisfies Readonly<Record<string, KeyRow>>;

export type KeyId = keyof typeof KEY_TABLE;

/** The table by where keys work, for the list of keys. */
export function keyGroups(): readonly (readonly [where: string, rows: readonly KeyRow[]])[] {
  const groups = new Map<string, KeyRow[]>();
  for (const row of Object.values<KeyRow>(KEY_TABLE)) {
    groups.set(row.where, [...(groups.get(row.where) ?? []), row]);
  }
  return [...groups];
}
