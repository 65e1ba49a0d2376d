/**
 * How somebody wants the page to look. It is kept in the browser, and put on the document as
 * attributes that the style sheet knows. `beforePaint.ts` does so before anything is drawn.
 */

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export const DENSITIES = ["compact", "comfortable"] as const;
export const MOTIONS = ["system", "reduced"] as const;
export const ZONES = ["local", "utc"] as const;

export interface Appearance {
  readonly theme: (typeof THEMES)[number];
  readonly density: (typeof DENSITIES)[number];
  readonly motion: (typeof MOTIONS)[number];
  /** Whose time is shown. */
  readonly zone: (typeof ZONES)[number];
}

const KEY = "orrery.appearance";
const DEFAULT: Appearance = {
  theme: "system",
  density: "compact",
  motion: "system",
  zone: "local",
};

type AppearanceStore = Pick<Storage, "getItem" | "setItem">;

/** What somebody else wrote there is not believed. */
export function readAppearance(store: Pick<AppearanceStore, "getItem">): Appearance {
  const kept = keptIn(store.getItem(KEY));
  const chosen = <T extends string>(name: string, known: readonly T[], otherwise: T): T =>
    known.find((each) => each === kept[name]) ?? otherwise;
  return {
    theme: chosen("theme", THEMES, DEFAULT.theme),
    density: chosen("density", DENSITIES, DEFAULT.density),
    motion: chosen("motion", MOTIONS, DEFAULT.motion),
    zone: chosen("zone", ZONES, DEFAULT.zone),
  };
}

function keptIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function keepAppearance(store: AppearanceStore, appearance: Appearance): void {
  store.setItem(KEY, JSON.stringify(appearance));
}

/** What the style sheet looks at. The system's wish is the absence of an attribute. */
export function attributesOf({
  theme,
  density,
  motion,
}: Appearance): Record<string, string | null> {
  return {
    "data-theme": theme === "system" ? null : theme,
    "data-density": density === "comfortable" ? density : null,
    "data-motion": motion === "reduced" ? motion : null,
  };
}

export function showAppearance(root: Element, appearance: Appearance): void {
  for (const [name, value] of Object.entries(attributesOf(appearance))) {
    if (value === null) root.removeAttribute(name);
    else root.setAttribute(name, value);
  }
}
