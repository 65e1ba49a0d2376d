/**
 * A certificate for localhost that is good for a hundred years, in the forms in which owners have
 * theirs. Nothing else is signed with its key. Made with openssl: req -x509, pkcs12 -export, ec.
 */

/** What opens the PFX file and the locked key. */
export const CERTIFICATE_SECRET = "secret";

export const CERTIFICATE_PFX: Buffer = Buffer.from(
  [
    "MIIELAIBAzCCA+IGCSqGSIb3DQEHAaCCA9MEggPPMIIDyzCCAoIGCSqGSIb3DQEHBqCCAnMwggJv",
    "AgEAMIICaAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiZTQPhkkjq",
    "uQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIMWVKfge5FBwODpaKoeJJqAggIAsTBB",
    "4mhtOqfu6Qr30iLTYQRwpWQSX64BhVv0G5iqUo7+dLHW2xFGQMp51RGcrZyuBlf7B+ITt98kg9o2",
    "mN0jxtvSK7viSX7QoIhp9ICc01nUdBAMMQxHz/iSfBszIMa3KtRnbz3PdD2n+vvscYhR0bhDjOqb",
    "pwLrGwLd/Po5GnQVDoBFcu1foDkvcQ/DWCi+kr5+0aGwGXC65gFO2GNdgnuMqQNnAWWbNDZS2ebG",
    "i/D783KaDoSWR/+f5BJlZG1BXqpmAiOHhhPlpgaIVuCXI81mkY+VpiYtz4P2AcyVz/TVYhPCk0fz",
    "mYc1GO1mZDOZ1GL2MePccaHvao+4MXAb+GQKd53Tx0hblzRg1l0/mUmAZenEdOiona1XJJD44nqR",
    "5ofrip30jYDhV03l1WIPm7TGQ1WPZpw3IiNRJGGtGDp3zAMnMSvBi+EGBf4p5vvQVc0nfaqNoIVz",
    "uG9qYtR5VcI6cC7OTjFAoxnuQ05MFiA5CyT7IORM/BlEdPMMGA4B8FyyvmTVLT0qwZurs5clTRfS",
    "chhmeFcoPNKn2a/r/NX878tv856Ugfrq+fsCo7y8VXlHMRpv1mlKkkptQK7j8SSBXovtXCIh65PE",
    "6afs8Cm/m0OEh+YZ6xyoyWbyPZA1OAk53Ams1KvasAo7Ag/d5XuM7vXYte/LYsGFq8m2XHgwggFB",
    "BgkqhkiG9w0BBwGgggEyBIIBLjCCASowggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0B",
    "BQ0wSjApBgkqhkiG9w0BBQwwHAQI9CiRqrX0808CAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUD",
    "BAEqBBBW2pEnhEjygqm5a6PstAnHBIGQS4+GnO6mBiotrtdayDhHisNTFvXXhkNqUyec1PmEBUt/",
    "wQocjerCRLOuZLMslv9ZuaoGYiLLTYtn9yrVa7tJVE9eHa/7oRy9QZpCScYM7ulzOOvscVSZtckN",
    "bGMYBw5rIeky13tneNh2vIvzrIjapG/SxT64SV7jrjj65eAjIw4+1rLe2NmghcYmzc/Xrv11MSUw",
    "IwYJKoZIhvcNAQkVMRYEFNJSKUC+zx9XO/pVOdGkbNYSpYqBMEEwMTANBglghkgBZQMEAgEFAAQg",
    "632YkvLKu5Ry6XZ0XmtPwhtFYUIc8o187T4o9aTMKlwECOYIwVDTtRFLAgIIAA==",
  ].join(""),
  "base64",
);

const CERTIFICATE_LINES: readonly string[] = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBlTCCATugAwIBAgIULC08+viG7jZV/IPx8sB8Hp/QGmQwCgYIKoZIzj0EAwIw",
  "FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExODIxMTUwNloYDzIxMjYxMDI1",
  "MjExNTA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO",
  "PQMBBwNCAARrgGWpyJILN7ClDtXF7G/ZIV+zgWb/DNYxstAkYpW4mlgIAPEJtB3e",
  "gXbM5J6DibhydK8B+uVg0563faNWsw7Bo2kwZzAdBgNVHQ4EFgQURgF2s1RldmAV",
  "MQIxYbTV1yJ9R0EwHwYDVR0jBBgwFoAURgF2s1RldmAVMQIxYbTV1yJ9R0EwDwYD",
  "VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID",
  "SAAwRQIgCPIKtS2WNbJhPVsYVzNgsRXJb1rskdPZDHnSGgnzq+0CIQDAhRxZCA3O",
  "9WVBxXzU/hDnHzzU7hbIDaA+6/xPZuXyYw==",
  "-----END CERTIFICATE-----",
];

const KEY_LINES: readonly string[] = [
  "-----BEGIN PRIVATE KEY-----",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNXmpSqjuU38Li64w",
  "q+Sy37lZg5Bxz6qMWjwIwUCY4gGhRANCAARrgGWpyJILN7ClDtXF7G/ZIV+zgWb/",
  "DNYxstAkYpW4mlgIAPEJtB3egXbM5J6DibhydK8B+uVg0563faNWsw7B",
  "-----END PRIVATE KEY-----",
];

const LOCKED_KEY_LINES: readonly string[] = [
  "-----BEGIN EC PRIVATE KEY-----",
  "Proc-Type: 4,ENCRYPTED",
  "DEK-Info: AES-256-CBC,3A8044BC4B39DEC9AAB458F07525388C",
  "",
  "iw/G5p7AeaKSOXPMa3MkRA78kXk1lKJ+gqk28IKOwuyrJVfjbNHKO7YF3tfrsrXy",
  "RBQdlhYAUqNQbxmK0rvLx2dwIUeAHu37PB41zv4+4TlBGEhm0DWeXa2+ATw3WoPw",
  "AGfcthC38BaJlW2qxwCkQXHTRe4EG6a2yMgcPWSplW8=",
  "-----END EC PRIVATE KEY-----",
];

export const CERTIFICATE_PEM: string = text(CERTIFICATE_LINES);
export const KEY_PEM: string = text(KEY_LINES);
export const LOCKED_KEY_PEM: string = text(LOCKED_KEY_LINES);

function text(lines: readonly string[]): string {
  return [...lines, ""].join("\n");
}
