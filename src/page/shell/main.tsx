/** Makes what the page is made of, once, and draws it. */
import { render } from "preact";
import { Announcer } from "../control/announcer.ts";
import type { Appearance } from "../control/appearance.ts";
import { keepAppearance, readAppearance, showAppearance } from "../control/appearance.ts";
import { Commands } from "../control/commands.ts";
import { Keyboard } from "../control/keyboard.ts";
import type { PageTools } from "../control/page.ts";
import { PageContext } from "../control/page.ts";
import { Answers } from "../session/answers.ts";
import { browserClock, browserTimer, browserVisibility } from "../session/browserWorld.ts";
import { Entrance } from "../session/entrance.ts";
import { Observable } from "../session/observable.ts";
import { Router } from "../session/router.ts";
import { Schedule } from "../session/schedule.ts";
import { Server } from "../session/server.ts";
import { RuTally } from "../session/tally.ts";
import { Door } from "./door.tsx";

function makePage(): PageTools {
  const tally = new RuTally(sessionStorage);
  const schedule = new Schedule({ timer: browserTimer, visibility: browserVisibility });
  const appearance = new Observable<Appearance>(readAppearance(localStorage));
  appearance.subscribe(() => {
    keepAppearance(localStorage, appearance.value);
    showAppearance(document.documentElement, appearance.value);
  });
  const server = new Server({ fetch: (url, init) => fetch(url, init), tally });
  const answers = new Answers({ clock: browserClock, schedule });
  return {
    server,
    answers,
    entrance: new Entrance(server, answers, () => sessionStorage.clear()),
    schedule,
    tally,
    router: new Router(window),
    keyboard: new Keyboard(),
    commands: new Commands(),
    announcer: new Announcer(),
    appearance,
    clock: browserClock,
  };
}

render(
  <PageContext.Provider value={makePage()}>
    <Door />
  </PageContext.Provider>,
  document.getElementById("page")!,
);
