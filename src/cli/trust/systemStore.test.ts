/** What is put into a system's store, where, and what is said where that cannot be done. */
import { createPrivateKey } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { caCertificateOf, newKey } from "../../server/tls/certificate.ts";
import { trustText } from "../trust.ts";
import type { StoreSystem } from "./systemStore.ts";
import { installAuthority, removeAuthorities, systemCommands } from "./systemStore.ts";
import { languageLines, linesText } from "./trustLines.ts";

const PATH = "/srv/my data/tls/ca.pem";
const KEPT = "-keystore orrery.p12 -storetype PKCS12 -storepass changeit";
const QUOTED = "'/srv/my data/tls/ca.pem'";
let pem = "";
beforeAll(() => {
  const random = seededRandom(1);
  const wallNow = (): number => Date.UTC(2026, 0, 1);
  const randomBytes = (count: number): Uint8Array => random.bytes(count);
  pem = caCertificateOf(createPrivateKey(newKey()), { wallNow, randomBytes });
});

interface Simulated extends StoreSystem {
  readonly files: Map<string, string>;
  readonly ran: string[];
}

const DEBIAN = "/usr/local/share/ca-certificates";
const FEDORA = "/etc/pki/ca-trust/source/anchors";
const SUSE = "/etc/pki/trust/anchors";
const ARCH = "/etc/ca-certificates/trust-source/anchors";

function simulated(
  folders: readonly string[],
  { platform = "linux", mayWrite = true }: { platform?: string; mayWrite?: boolean } = {},
): Simulated {
  const files = new Map<string, string>();
  const ran: string[] = [];
  const refuse = (path: string): void => {
    if (!mayWrite) throw new Error(`EACCES: permission denied, open '${path}'`);
  };
  return {
    platform,
    files,
    ran,
    isFolder: (path) => folders.includes(path),
    list: (folder) =>
      [...files.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
    write: (path, text) => {
      refuse(path);
      files.set(path, text);
    },
    remove: (path) => {
      refuse(path);
      files.delete(path);
    },
    run: (command) => {
      ran.push(command.join(" "));
      return undefined;
    },
  };
}

describe("on Linux", () => {
  test.each([
    ["Debian", [DEBIAN], DEBIAN, "crt", "update-ca-certificates", "update-ca-certificates --fresh"],
    [
      "Fedora",
      [FEDORA, DEBIAN],
      FEDORA,
      "pem",
      "update-ca-trust extract",
      "update-ca-trust extract",
    ],
    ["openSUSE", [SUSE], SUSE, "pem", "update-ca-certificates", "update-ca-certificates"],
    ["Arch", [ARCH], ARCH, "pem", "update-ca-trust", "update-ca-trust"],
  ])("%s gets a file, and its tool is run", (_name, folders, folder, ending, update, renew) => {
    const system = simulated(folders);
    system.files.set(`${folder}/mine.${ending}`, "another");
    const installed = installAuthority(system, PATH, pem);
    expect(installed.isDone).toBe(true);
    const [, path = ""] = [...system.files.keys()];
    expect(path.startsWith(`${folder}/orrery-`) && path.endsWith(`.${ending}`)).toBe(true);
    expect(system.files.get(path)).toBe(pem);
    installAuthority(system, PATH, pem);
    expect(system.files.size).toBe(2);
    expect(removeAuthorities(system)).toEqual({ isDone: true, text: `Removed: ${path}\n` });
    expect([...system.files.keys()]).toEqual([`${folder}/mine.${ending}`]);
    expect(system.ran).toEqual([update, update, renew]);
    expect(removeAuthorities(system).text).toBe(`None was installed in ${folder}.\n`);
  });

  test("whoever may not write there is told the commands", () => {
    const system = simulated([DEBIAN], { mayWrite: false });
    const { isDone, text } = installAuthority(system, PATH, pem);
    expect(isDone).toBe(false);
    expect(text).toMatch(
      /^It could not be installed: EACCES: permission denied, open '.*'\. These/,
    );
    expect(text).toContain(`  sudo cp ${QUOTED} ${DEBIAN}/orrery-`);
    expect(text).toMatch(/ {2}sudo update-ca-certificates\n$/);
    expect(system.ran).toEqual([]);
  });

  test("a tool that fails is told", () => {
    const system = { ...simulated([DEBIAN]), run: () => "update-ca-certificates said: no" };
    const { isDone, text } = installAuthority(system, PATH, pem);
    expect([isDone, text.split("\n")[0]]).toEqual([
      false,
      "It could not be installed: update-ca-certificates said: no. These commands do it:",
    ]);
  });

  test("without a store that is known, the commands of all are told", () => {
    const text = systemCommands(simulated([]), PATH, pem);
    for (const folder of [DEBIAN, FEDORA, SUSE, ARCH]) expect(text).toContain(folder);
  });
});

test.each([
  [
    "darwin",
    `  sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${QUOTED}\n`,
  ],
  ["win32", `  certutil -user -addstore Root "${PATH}"\n`],
])("on %s nothing is installed by itself", (platform, commands) => {
  const system = simulated([DEBIAN], { platform });
  expect(installAuthority(system, PATH, pem)).toEqual({
    isDone: false,
    text: `It is not installed by itself on this system. These commands do it:\n${commands}`,
  });
  expect([removeAuthorities(system).isDone, system.files.size]).toEqual([false, 0]);
});

test("each language has its lines, with the path as a shell takes it", () => {
  expect(linesText(languageLines(PATH), "", 8)).toBe(`\
Node    NODE_EXTRA_CA_CERTS=${QUOTED} node app.js
Python  REQUESTS_CA_BUNDLE=${QUOTED} python app.py
Java    keytool -importcert -noprompt -alias orrery -file ${QUOTED} ${KEPT}
        java -Djavax.net.ssl.trustStore=orrery.p12 -Djavax.net.ssl.trustStorePassword=changeit …
Go      SSL_CERT_FILE=${QUOTED} go run .
`);
});

test("the whole text names file and fingerprint", () => {
  const text = trustText({ path: PATH, pem, isOwn: true }, simulated([DEBIAN]));
  expect(text).toContain(`  file         ${PATH}\n`);
  expect(text).toMatch(/\n {2}SHA-256 {6}(?:[0-9A-F]{2}:){31}[0-9A-F]{2}\n/);
  expect(text).toContain(`sudo cp ${QUOTED} ${DEBIAN}/orrery-`);
});
