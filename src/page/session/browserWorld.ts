/** The one place where the page takes its time, its waiting and its visibility from the browser. */
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";

/** Whether anybody can see the page. */
export interface Visibility {
  isHidden(): boolean;
  /** Calls `listener` whenever the page is hidden or shown. */
  onChange(listener: () => void): void;
}

export const browserClock: Clock = {
  now: () => millis(performance.now()),
  wallNow: () => Date.now(),
};

export const browserTimer: Timer = {
  after(delay, action) {
    const handle = setTimeout(action, delay);
    return () => clearTimeout(handle);
  },
  soon: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

export const browserVisibility: Visibility = {
  isHidden: () => document.hidden,
  onChange: (listener) => document.addEventListener("visibilitychange", listener),
};
