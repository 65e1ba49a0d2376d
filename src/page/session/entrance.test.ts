/** Who is in, and what becomes of a session that ends. */
import { describe, expect, test } from "vitest";
import { no, ok } from "../../base/result.ts";
import type { PageSessionAnswer } from "../../protocol/admin.ts";
import { Entrance } from "./entrance.ts";
import type { ServerReply } from "./server.ts";

const SESSION = { isReadOnly: false, secondsLeft: 60, version: "1" };

/** A server that gives sessions freely, or for the key "right". */
function staged(isFree: boolean) {
  const said: string[] = [];
  const server = {
    onSignedOut: () => Promise.resolve(false),
    openSession: ({
      key,
    }: {
      readonly key?: string | undefined;
    }): Promise<ServerReply<PageSessionAnswer>> => {
      said.push(key === undefined ? "open" : `open with ${key}`);
      if (key === "right") return Promise.resolve(ok({ ...SESSION, isFree: false }));
      if (key !== undefined) {
        return Promise.resolve(no({ kind: "signedOut", code: "WrongKey", message: "No key." }));
      }
      return Promise.resolve(
        isFree
          ? ok({ ...SESSION, isFree: true })
          : no({ kind: "signedOut", code: "KeyNeeded", message: "Show a key." }),
      );
    },
    closeSession: () => {
      said.push("close");
      return Promise.resolve(ok(undefined));
    },
  };
  const entrance = new Entrance(server, { clear: () => said.push("forget") }, () =>
    said.push("drop what was kept"),
  );
  return { entrance, server, said };
}

describe("where a session is free", () => {
  test("it is opened, and opened again unseen when the server has forgotten it", async () => {
    const { entrance, server, said } = staged(true);
    await entrance.open();
    expect(entrance.session).toMatchObject({ isFree: true });
    const told = [server.onSignedOut(), server.onSignedOut()];
    expect(entrance.standing.value.kind).toBe("in");
    expect(await Promise.all(told)).toEqual([true, true]);
    expect(said).toEqual(["open", "open"]);
  });

  test("a server that is gone, or has a key of its own by now, gives none", async () => {
    const { entrance, server } = staged(true);
    await entrance.open();
    server.openSession = () => Promise.resolve(no({ kind: "unreachable", message: "Gone." }));
    expect(await server.onSignedOut()).toBe(false);
    expect(entrance.standing.value.kind).toBe("in");
    server.openSession = ({ key }) =>
      Promise.resolve(
        key === undefined
          ? no({ kind: "signedOut", code: "KeyNeeded", message: "Show a key." })
          : ok({ ...SESSION, isFree: false }),
      );
    const waiting = server.onSignedOut();
    await Promise.resolve();
    expect(entrance.standing.value.kind).toBe("ended");
    await entrance.openWith("right");
    expect(await waiting).toBe(true);
  });

  test("who signs out is out until they ask to be let in", async () => {
    const { entrance, said } = staged(true);
    await entrance.open();
    await entrance.signOut();
    expect(entrance.standing.value).toEqual({ kind: "out", isKeyNeeded: false });
    expect(said).toEqual(["open", "close", "forget", "drop what was kept"]);
  });
});

describe("where a key is needed", () => {
  test("it is asked for, and a wrong one is refused in words", async () => {
    const { entrance } = staged(false);
    await entrance.open();
    expect(entrance.standing.value).toEqual({ kind: "out", isKeyNeeded: true });
    expect(await entrance.openWith("wrong")).toBe("No key.");
    expect(entrance.session).toBeUndefined();
    expect(await entrance.openWith("right")).toBeUndefined();
    expect(entrance.session).toMatchObject({ isFree: false });
  });

  test("it is asked for again when the session has ended", async () => {
    const { entrance, server } = staged(false);
    await entrance.openWith("right");
    const waiting = [server.onSignedOut(), server.onSignedOut()];
    expect(entrance.standing.value).toEqual({ kind: "ended" });
    expect(await entrance.openWith("wrong")).toBe("No key.");
    expect(await entrance.openWith("right")).toBeUndefined();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    expect(entrance.session).toBeDefined();
  });

  test("who leaves instead lets go of what waits", async () => {
    const { entrance, server, said } = staged(false);
    await entrance.openWith("right");
    const waiting = server.onSignedOut();
    await entrance.signOut();
    expect(await waiting).toBe(false);
    expect(entrance.standing.value).toEqual({ kind: "out", isKeyNeeded: true });
    expect(said).toContain("drop what was kept");
    expect(await server.onSignedOut()).toBe(false);
  });
});

test("a server that does not answer is no reason to ask for a key", async () => {
  const { server } = staged(true);
  server.openSession = () => Promise.resolve(no({ kind: "unreachable", message: "Gone." }));
  const entrance = new Entrance(server, { clear: () => undefined }, () => undefined);
  await entrance.open();
  expect(entrance.standing.value).toMatchObject({ kind: "failed" });
});
