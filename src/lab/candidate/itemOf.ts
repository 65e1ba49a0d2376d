/** Items that are made up to see which key they have: nothing but what the key looks at. */
import { periodOf } from "../../keys/period.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { TimeResolution } from "../data/facts.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import type { KeyShape } from "./keyShape.ts";

/** An item with these values, written at that instant. */
export function itemOf(
  shape: KeyShape,
  paths: readonly string[],
  values: readonly KeyComponent[],
  millis: number,
): Record<string, unknown> {
  const item: Record<string, unknown> = Object.create(null);
  paths.forEach((path, at) => {
    put(item, stepsFor(path), values[at]);
  });
  for (const [path, { resolution, isRaw }] of shape.times) {
    // A number is quicker to take the period of than a text.
    put(item, stepsFor(path), isRaw ? timeText(resolution, millis) : millis);
  }
  return item;
}

const stepsByPath = new Map<string, readonly string[]>();

function stepsFor(path: string): readonly string[] {
  let steps = stepsByPath.get(path);
  if (steps === undefined) {
    steps = stepsOfPath(path);
    if (stepsByPath.size < 1000) stepsByPath.set(path, steps);
  }
  return steps;
}

/** In the form of a property of that resolution: a month is "2026-05", whoever writes it. */
export function timeText(resolution: TimeResolution, millis: number): string {
  const iso = new Date(millis).toISOString();
  if (resolution === "second" || resolution === "minute") return `${iso.slice(0, 19)}Z`;
  if (resolution === "hour") return `${iso.slice(0, 13)}:00:00Z`;
  if (resolution === "day") return iso.slice(0, 10);
  return resolution === "month" ? iso.slice(0, 7) : periodOf(resolution, millis);
}

function put(item: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  if (value === undefined) return;
  let place = item;
  for (const step of steps.slice(0, -1)) {
    const inner = place[step];
    if (typeof inner === "object" && inner !== null) place = inner as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = Object.create(null);
      place[step] = made;
      place = made;
    }
  }
  place[steps.at(-1)!] = value;
}
