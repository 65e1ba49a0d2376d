/**
 * The certificates that a whole system trusts: where an authority is put, and what has to be run
 * afterwards. On Linux this is files and a tool of the distribution, which `--install` can do where
 * it may; on other systems it asks its user, and only the commands are told.
 *
 * Always: only files whose name this command gave are written or removed.
 */
import { X509Certificate } from "node:crypto";
import { quoted } from "./trustLines.ts";

interface LinuxStore {
  readonly systems: string;
  readonly folder: string;
  /** The name of a file has to end so. */
  readonly ending: string;
  readonly update: readonly [tool: string, ...args: string[]];
  /** After a removal. */
  readonly renew: readonly [tool: string, ...args: string[]];
}

/** Looked for in this order: the last folder is on some of the others, too. */
const LINUX_STORES: readonly LinuxStore[] = [
  {
    systems: "Fedora, RHEL",
    folder: "/etc/pki/ca-trust/source/anchors",
    ending: ".pem",
    update: ["update-ca-trust", "extract"],
    renew: ["update-ca-trust", "extract"],
  },
  {
    systems: "openSUSE",
    folder: "/etc/pki/trust/anchors",
    ending: ".pem",
    update: ["update-ca-certificates"],
    renew: ["update-ca-certificates"],
  },
  {
    systems: "Arch",
    folder: "/etc/ca-certificates/trust-source/anchors",
    ending: ".pem",
    update: ["update-ca-trust"],
    renew: ["update-ca-trust"],
  },
  {
    systems: "Debian, Ubuntu, Alpine",
    folder: "/usr/local/share/ca-certificates",
    ending: ".crt",
    update: ["update-ca-certificates"],
    renew: ["update-ca-certificates", "--fresh"],
  },
];

const OWN_FILE = /^orrery-[0-9a-f]{16}\.(?:crt|pem)$/;

/** What an installation may touch. */
export interface StoreSystem {
  readonly platform: string;
  isFolder(path: string): boolean;
  list(folder: string): readonly string[];
  /** These throw what the system says. */
  write(path: string, text: string): void;
  remove(path: string): void;
  /** What the tool said, if it failed. */
  run(command: readonly [string, ...string[]]): string | undefined;
}

interface StoreOutcome {
  readonly isDone: boolean;
  readonly text: string;
}

export function installAuthority(system: StoreSystem, path: string, pem: string): StoreOutcome {
  const store = storeOf(system);
  const commands = (why: string): StoreOutcome => ({
    isDone: false,
    text: `${why} These commands do it:\n${systemCommands(system, path, pem)}`,
  });
  if (store === undefined) return commands("It is not installed by itself on this system.");
  const target = `${store.folder}/${fileName(pem, store)}`;
  const problem = attempt(() => system.write(target, pem)) ?? system.run(store.update);
  if (problem !== undefined) return commands(`It could not be installed: ${problem}.`);
  return {
    isDone: true,
    text: `Installed: ${target}, and ${store.update.join(" ")} was run.\n`,
  };
}

/** Removes every authority that `installAuthority` put there, of whichever server. */
export function removeAuthorities(system: StoreSystem): StoreOutcome {
  const store = storeOf(system);
  if (store === undefined) {
    return { isDone: false, text: `Nothing is installed by itself on this system.\n` };
  }
  const files = system.list(store.folder).filter((name) => OWN_FILE.test(name));
  if (files.length === 0) {
    return { isDone: true, text: `None was installed in ${store.folder}.\n` };
  }
  const paths = files.map((name) => `${store.folder}/${name}`);
  const problem =
    attempt(() => paths.forEach((path) => void system.remove(path))) ?? system.run(store.renew);
  if (problem === undefined) {
    return { isDone: true, text: paths.map((path) => `Removed: ${path}\n`).join("") };
  }
  const commands = `  sudo rm ${paths.join(" ")}\n  sudo ${store.renew.join(" ")}\n`;
  return {
    isDone: false,
    text: `It could not be removed: ${problem}. These commands do it:\n${commands}`,
  };
}

/** The commands for the system this runs on; on an unknown one, of all. */
export function systemCommands(system: StoreSystem, path: string, pem: string): string {
  const file = quoted(path);
  const lines = (...commands: readonly string[]): string =>
    commands.map((command) => `  ${command}\n`).join("");
  switch (system.platform) {
    case "darwin":
      return lines(
        "sudo security add-trusted-cert -d -r trustRoot " +
          `-k /Library/Keychains/System.keychain ${file}`,
      );
    case "win32":
      return lines(`certutil -user -addstore Root "${path}"`);
  }
  const found = storeOf(system);
  return (found === undefined ? LINUX_STORES : [found])
    .map(
      (store) =>
        (found === undefined ? `  # ${store.systems}\n` : "") +
        lines(
          `sudo cp ${file} ${store.folder}/${fileName(pem, store)}`,
          `sudo ${store.update.join(" ")}`,
        ),
    )
    .join("");
}

function storeOf(system: StoreSystem): LinuxStore | undefined {
  if (system.platform !== "linux") return undefined;
  return LINUX_STORES.find(({ folder }) => system.isFolder(folder));
}

/** The same for the same authority, so that installing it again changes nothing. */
function fileName(pem: string, { ending }: LinuxStore): string {
  const { fingerprint256 } = new X509Certificate(pem);
  const digits = fingerprint256.replaceAll(":", "").toLowerCase().slice(0, 16);
  return `orrery-${digits}${ending}`;
}

function attempt(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
