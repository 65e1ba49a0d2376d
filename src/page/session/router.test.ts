/** The address bar as the only home of where somebody is. */
import { expect, test } from "vitest";
import { placeAt } from "./place.ts";
import { Router } from "./router.ts";

/** A window with a history that one can go back in. */
function simulatedWindow() {
  const steps = ["/_explorer/"];
  let at = 0;
  let popped = (): void => undefined;
  const url = (): URL => new URL(steps[at]!, "http://127.0.0.1");
  return {
    steps,
    location: {
      get pathname() {
        return url().pathname;
      },
      get search() {
        return url().search;
      },
    },
    history: {
      pushState: (_state: unknown, _title: string, href: string) => {
        steps.splice(++at, Infinity, href);
      },
      replaceState: (_state: unknown, _title: string, href: string) => {
        steps[at] = href;
      },
    },
    addEventListener: (_type: "popstate", listener: () => void) => {
      popped = listener;
    },
    back: () => {
      at--;
      popped();
    },
  };
}

test("going somewhere is a step, going back is where one was", () => {
  const window = simulatedWindow();
  const router = new Router(window as never);
  expect(router.place.value.page).toBe("overview");
  router.go(placeAt("jobs", undefined, { state: "done" }));
  expect(window.steps.at(-1)).toBe("/_explorer/jobs?state=done");
  expect(router.place.value.page).toBe("jobs");
  window.back();
  expect(router.place.value.page).toBe("overview");
});

test("a change of the view need not be a step, and where one is already is none", () => {
  const window = simulatedWindow();
  const router = new Router(window as never);
  router.go(placeAt("overview", undefined, { filter: "a" }), { isSameStep: true });
  router.go(placeAt("overview", undefined, { filter: "a" }));
  expect(window.steps).toEqual(["/_explorer/?filter=a"]);
});
