/**
 * What every part of the page can reach: the server, the address, the keys, the commands. It is
 * made once, in `shell/main.tsx`, and handed down; nothing of the page is global.
 *
 * The functions called `use…` are the way to it for components.
 */
import { type Context, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Answers, Watched } from "../session/answers.ts";
import type { Entrance } from "../session/entrance.ts";
import type { Observable } from "../session/observable.ts";
import type { PagePlace } from "../session/place.ts";
import { withParameters } from "../session/place.ts";
import type { Router } from "../session/router.ts";
import type { Schedule } from "../session/schedule.ts";
import type { Server, ServerReply } from "../session/server.ts";
import type { RuTally } from "../session/tally.ts";
import type { Announcer } from "./announcer.ts";
import type { Appearance } from "./appearance.ts";
import type { Command, Commands } from "./commands.ts";
import type { Keyboard } from "./keyboard.ts";
import type { KeyId } from "./keyTable.ts";

export interface PageTools {
  readonly server: Server;
  readonly answers: Answers;
  readonly schedule: Schedule;
  readonly tally: RuTally;
  readonly router: Router;
  readonly keyboard: Keyboard;
  readonly commands: Commands;
  readonly announcer: Announcer;
  readonly appearance: Observable<Appearance>;
  readonly clock: Clock;
  readonly entrance: Entrance;
}

export const PageContext: Context<PageTools | undefined> = createContext<PageTools | undefined>(
  undefined,
);

export function usePage(): PageTools {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("There is no page around this component.");
  return page;
}

/** The value of an observable, as of now and from now on. */
export function useObserved<T>(observable: Observable<T>): T {
  const [, setCount] = useState(0);
  useEffect(() => {
    const renew = (): void => setCount((count) => count + 1);
    // It may have changed between drawing and now.
    renew();
    return observable.subscribe(renew);
  }, [observable]);
  return observable.value;
}

export function usePlace(): PagePlace {
  return useObserved(usePage().router.place);
}

/**
 * A part of the view's state that lives in the address. A value that is the usual one is left out
 * of it. Setting it makes no step for the back button unless `isStep` says so.
 */
export function useParameter(
  name: string,
  usual: string,
): readonly [value: string, set: (value: string, options?: { readonly isStep?: boolean }) => void] {
  const { router } = usePage();
  const place = usePlace();
  const set = (value: string, { isStep = false } = {}): void => {
    const changes = { [name]: value === usual ? undefined : value };
    router.go(withParameters(router.place.value, changes), { isSameStep: !isStep });
  };
  return [place.parameters[name] ?? usual, set];
}

/**
 * The answer of the admin API to a route, asked again every so many seconds while the page can be
 * seen; asked once without `everySeconds`. Nothing is asked while the route is `undefined`.
 */
export function useAdmin<T>(route: string | undefined, everySeconds?: number): Watched<T> {
  const { server } = usePage();
  return useAnswer<T>(route, () => server.admin<T>(route!), everySeconds);
}

/**
 * The same for any question. Questions with one key are one question: how it is asked may depend on
 * the time, such as the last hour, but on nothing else that is not in the key.
 */
export function useAnswer<T>(
  key: string | undefined,
  ask: () => Promise<ServerReply<T>>,
  everySeconds?: number,
): Watched<T> {
  const { answers } = usePage();
  const [, setCount] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (key === undefined) return undefined;
    const interval = everySeconds === undefined ? undefined : millis(everySeconds * 1000);
    const watch = answers.watch<T>(key, () => latest.current(), interval);
    const unsubscribe = watch.state.subscribe(() => setCount((count) => count + 1));
    return () => {
      unsubscribe();
      watch.stop();
    };
  }, [answers, key, everySeconds]);
  return key === undefined ? {} : answers.peek<T>(key);
}

/** Acts on a key of the table while the component is on show. */
export function useKey(id: KeyId, action: () => unknown): void {
  const { keyboard } = usePage();
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => keyboard.bind(id, () => latest.current()), [keyboard, id]);
}

/** Registers commands for the palette while the component is on show. */
export function useCommands(commands: readonly Command[]): void {
  const page = usePage();
  const latest = useRef(commands);
  latest.current = commands;
  const signature = commands.map(({ id, title }) => `${id}\n${title}`).join("\n");
  // What a command does may change with every drawing; which commands there are does not.
  const registered = useMemo(
    () =>
      latest.current.map((command) => ({
        ...command,
        run: () => latest.current.find(({ id }) => id === command.id)?.run(),
      })),
    [signature],
  );
  useEffect(() => page.commands.register(registered), [page, registered]);
}
