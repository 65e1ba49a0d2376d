/**
 * The traces say how states follow from findings: read them first. Each letter is a finding, ten
 * seconds after the one before: `.` fine, `?` absent, `i`, `w` and `c` trouble of that severity. The
 * line below has the states: `-` normal, `o` noData, `p` pending, `I`, `W` and `C` firing. The
 * properties hold for every trace.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RuleSetting } from "./alertSettings.ts";
import { advance, isSettled, type RuleState, type Transition, transitionOf } from "./evaluate.ts";
import { type RuleFinding, SEVERITIES, type Severity } from "./rules/alertRule.ts";

const STEP_MS = 10_000;
const GAP_MAX_MS = 60_000;

interface Trace {
  readonly rule: string;
  readonly forSeconds?: number;
  readonly clearSeconds?: number;
  readonly findings: string;
  readonly states: string;
}

const TRACES: readonly Trace[] = [
  { rule: "no trouble is normal, no evidence is not", findings: "..??.", states: "--oo-" },
  { rule: "trouble is pending until it has lasted", findings: ".wwwww", states: "-pppWW" },
  { rule: "trouble that passes was never raised", findings: ".www.www.", states: "-ppp-ppp-" },
  { rule: "without a delay it fires at once", forSeconds: 0, findings: ".w", states: "-W" },
  { rule: "one quiet finding does not clear", findings: "wwww.ww", states: "pppWWWW" },
  { rule: "it clears after quiet has lasted", findings: "wwww....", states: "pppWWWW-" },
  { rule: "trouble that returns begins quiet anew", findings: "wwww..w..w", states: "pppWWWWWWW" },
  { rule: "missing evidence clears too, and is noData", findings: "wwww????", states: "pppWWWWo" },
  { rule: "missing evidence ends pending", findings: "www?www", states: "pppoppp" },
  {
    rule: "the worst is raised at once if it was there all along",
    findings: "cccc",
    states: "pppC",
  },
  { rule: "what was milder at first is raised milder", findings: "wwcccc", states: "pppWWC" },
  { rule: "a moment of worse does not change the severity", findings: "wwwwcw", states: "pppWWW" },
  { rule: "severity falls as slowly as alerts clear", findings: "ccccwwww", states: "pppCCCCW" },
  { rule: "no severity in between is skipped", findings: "ccccw.....", states: "pppCCCCW--" },
];

describe("traces, raised after 30 s and cleared after 30 s", () => {
  test.each(TRACES)("$rule", ({ findings, states, forSeconds, clearSeconds }) => {
    const setting = settingOf(forSeconds ?? 30, clearSeconds ?? 30);
    expect(run(setting, findings).map(letterOf).join("")).toBe(states);
  });

  test("time that nobody watched does not count", () => {
    const setting = settingOf(30, 30);
    const first = step(setting, "w", undefined, 0);
    const later = step(setting, "w", first, GAP_MAX_MS + 1);
    expect(later).toMatchObject({ state: "pending", since: 0 });
    expect(step(setting, "w", first, GAP_MAX_MS).state).toBe("firing");
    expect(step(setting, "w", later, GAP_MAX_MS + 30_001).state).toBe("firing");
  });

  test("nor does time after the clock was set back", () => {
    const setting = settingOf(30, 30);
    const first = step(setting, "w", undefined, 100_000);
    const back = step(setting, "w", first, 50_000);
    expect(back.state).toBe("pending");
    expect(step(setting, "w", back, 80_000).state).toBe("firing");
  });

  test("a firing alert keeps the trouble it was last seen with", () => {
    const states = run(settingOf(0, 30), "w..");
    expect(states.at(-1)).toMatchObject({
      state: "firing",
      trouble: { at: 0 },
      finding: { kind: "fine" },
    });
  });
});

describe("transitions", () => {
  test.each([
    ["www....", []],
    ["wwww....", ["raised", "cleared"]],
    ["wwww????", ["raised", "cleared"]],
    ["wwcccc....", ["raised", "changed", "cleared"]],
    ["cccc....", ["raised", "cleared"]],
  ])("%s", (findings, events) => {
    expect(eventsOf(run(settingOf(30, 30), findings))).toEqual(events);
  });
});

describe("properties", () => {
  const anyFindings = fc
    .array(fc.constantFrom(".", "?", "i", "w", "c"), { minLength: 1, maxLength: 60 })
    .map((letters) => letters.join(""));
  const anyDelay = fc.integer({ min: 0, max: 8 }).map((steps) => steps * 10);

  test("levels are nested, firing has trouble, and noData is never normal by accident", () => {
    fc.assert(
      fc.property(anyFindings, anyDelay, anyDelay, (findings, forSeconds, clearSeconds) => {
        for (const state of run(settingOf(forSeconds, clearSeconds), findings)) {
          const on = state.levels.map(({ isOn }) => isOn);
          expect(on).toEqual(on.toSorted((one, other) => Number(other) - Number(one)));
          expect(state.state === "firing").toBe(on[0]);
          if (state.state === "firing") expect(state.trouble).toBeDefined();
          if (state.state === "normal") expect(state.finding.kind).toBe("fine");
          if (state.state === "noData") expect(state.finding.kind).toBe("absent");
        }
      }),
    );
  });

  test("states agree with a model that looks back over the whole trace", () => {
    fc.assert(
      fc.property(anyFindings, anyDelay, anyDelay, (findings, forSeconds, clearSeconds) => {
        const seen = run(settingOf(forSeconds, clearSeconds), findings).map(letterOf);
        expect(seen.join("")).toBe(modelStates(findings, forSeconds / 10, clearSeconds / 10));
      }),
    );
  });

  test("raised and cleared alternate, and nothing changes in between but severities", () => {
    fc.assert(
      fc.property(anyFindings, anyDelay, anyDelay, (findings, forSeconds, clearSeconds) => {
        const events = eventsOf(run(settingOf(forSeconds, clearSeconds), findings));
        const letters = events.map((event) => ({ raised: "r", changed: "x", cleared: "c" })[event]);
        expect(letters.join("")).toMatch(/^(rx*c)*(rx*)?$/);
      }),
    );
  });

  test("the last finding again and again settles it, and then it stays", () => {
    fc.assert(
      fc.property(anyFindings, anyDelay, anyDelay, (findings, forSeconds, clearSeconds) => {
        const setting = settingOf(forSeconds, clearSeconds);
        const states = run(setting, findings + findings.at(-1)!.repeat(20));
        const [settled, last] = states.slice(-2);
        expect(isSettled(settled!)).toBe(true);
        expect(last?.state).toBe(settled?.state);
        expect(last?.since).toBe(settled?.since);
      }),
    );
  });
});

/** Level by level: on after so many steps of at least that severity, off after so many of less. */
function modelStates(findings: string, forSteps: number, clearSteps: number): string {
  const ranks = Array.from(findings, (letter) => "iwc".indexOf(letter));
  const isOn = [false, false, false];
  return ranks
    .map((_, index) => {
      for (const level of [0, 1, 2]) {
        const wanted = !isOn[level];
        const steps = wanted ? forSteps : clearSteps;
        const recent = ranks.slice(Math.max(index - steps, 0), index + 1);
        const isLong = recent.length === steps + 1;
        if (isLong && recent.every((rank) => rank >= level === wanted)) isOn[level] = wanted;
      }
      const highest = isOn.lastIndexOf(true);
      if (highest >= 0) return "IWC"[highest];
      return findings[index] === "?" ? "o" : findings[index] === "." ? "-" : "p";
    })
    .join("");
}

function run(setting: RuleSetting, findings: string): readonly RuleState[] {
  const states: RuleState[] = [];
  Array.from(findings, (letter, index) =>
    states.push(step(setting, letter, states.at(-1), index * STEP_MS)),
  );
  return states;
}

function step(
  setting: RuleSetting,
  letter: string,
  former: RuleState | undefined,
  now: number,
): RuleState {
  return advance(setting, findingOf(letter), former, { now, gapMaxMs: GAP_MAX_MS });
}

function eventsOf(states: readonly RuleState[]): readonly Transition[] {
  return states.flatMap((state, index) => transitionOf(states[index - 1], state) ?? []);
}

function findingOf(letter: string): RuleFinding {
  if (letter === ".") return { kind: "fine", says: "Fine." };
  if (letter === "?") return { kind: "absent", says: "Absent." };
  const severity: Severity = SEVERITIES["iwc".indexOf(letter)]!;
  const evidence = { figures: {}, partitionIds: [], partitionKeys: [] };
  return { kind: "trouble", severity, says: "Trouble.", todo: [], evidence };
}

function letterOf({ state, severity }: RuleState): string {
  if (state === "firing") return { info: "I", warning: "W", critical: "C" }[severity!];
  return { normal: "-", noData: "o", pending: "p" }[state];
}

function settingOf(forSeconds: number, clearSeconds: number): RuleSetting {
  return { isEnabled: true, forSeconds, clearSeconds, values: {} };
}
