/** How programs in each language are told to trust a certificate authority, as lines to copy. */

interface TrustLines {
  readonly language: string;
  readonly lines: readonly string[];
}

const KEYSTORE = "orrery.p12";
const PASSWORD = "changeit";

/** Those whose clients have their own way; `path` is the certificate of the authority, in PEM. */
export function languageLines(path: string): readonly TrustLines[] {
  const file = quoted(path);
  return [
    { language: "Node", lines: [`NODE_EXTRA_CA_CERTS=${file} node app.js`] },
    { language: "Python", lines: [`REQUESTS_CA_BUNDLE=${file} python app.py`] },
    {
      language: "Java",
      lines: [
        `keytool -importcert -noprompt -alias orrery -file ${file} ` +
          `-keystore ${KEYSTORE} -storetype PKCS12 -storepass ${PASSWORD}`,
        `java -Djavax.net.ssl.trustStore=${KEYSTORE} ` +
          `-Djavax.net.ssl.trustStorePassword=${PASSWORD} …`,
      ],
    },
    { language: "Go", lines: [`SSL_CERT_FILE=${file} go run .`] },
  ];
}

/** Those that go by the system's store, or by what they are told for one request. */
export function otherLines(path: string): readonly TrustLines[] {
  const file = quoted(path);
  return [
    { language: "Rust", lines: [`SSL_CERT_FILE=${file} cargo run`] },
    { language: ".NET", lines: ["the system's store, below"] },
    { language: "curl", lines: [`curl --cacert ${file} https://…`] },
  ];
}

/** One language after the other, each with its name before its first line. */
export function linesText(all: readonly TrustLines[], indent: string, width = 8): string {
  return all
    .flatMap(({ language, lines }) =>
      lines.map((line, at) => `${indent}${(at === 0 ? language : "").padEnd(width)}${line}\n`),
    )
    .join("");
}

/** For a shell, where it needs it. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
