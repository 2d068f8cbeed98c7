// Whether a name says that its value is a secret: of an environment variable, a header, a flag or a query parameter.

/** A word of a name, or its end: `GITHUBTOKEN`, `PGPASSWORD`. */
const SECRET_END =
  /(?:tokens?|secrets?|passw(?:or)?d|passphrase|passcode|credentials?|apikeys?|authorization|bearer|cookies?)$/;
const SECRET_WORDS = new Set([
  "key",
  "keys",
  "pass",
  "pwd",
  "pw",
  "pat",
  "jwt",
  "dsn",
  "sas",
  "salt",
  "signature",
  "sig",
  "otp",
  "connectionstring",
]);

/** The last word, if it says that the value is something about the secret: `TOKEN_FILE`, `KEY_ID`, `MAX_TOKENS_LIMIT`. */
const ABOUT = new Set([
  ..."count dir directory enabled endpoint expires expiry file folder format header host id length limit".split(
    " ",
  ),
  ..."max mode model name origin path port prefix provider region size timeout ttl type url uri version".split(
    " ",
  ),
]);
/** The first word, likewise. */
const ABOUT_FIRST = new Set(["max", "min", "num", "public", "use", "enable", "disable", "no"]);

/** The words of a name in lower case: `apiKey`, `API_KEY` and `--api-key` have the same. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

export function namesSecret(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (ABOUT.has(last) || ABOUT_FIRST.has(words[0] ?? "")) return false;
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_END.test(word)) || isConnection(words);
}

/** `DATABASE_CONNECTION_STRING` */
function isConnection(words: readonly string[]): boolean {
  return words.join("").endsWith("connectionstring");
}

/** Variables and headers also say `auth`; as a flag it is more often the manner of it. */
export function namesSecretOrAuth(name: string): boolean {
  return namesSecret(name) || wordsOf(name).at(-1) === "auth";
}
