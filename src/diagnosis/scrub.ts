// The last guard of the bundle: every text of it goes through here. Its parts are chosen so that they contain no secrets; this
// is for what others have put into a message, such as an address with a credential.
import { isObject } from "../base";

/** Shorter values are ordinary words. */
const LEAST_LENGTH = 6;
const HIDDEN = "[hidden]";
/** What an address may end with in a sentence. */
const AFTER_ADDRESS = ".,:;)]}>'";

/** Each with what takes its place. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{1,40}-----[^-]{0,20000}/g, HIDDEN],
  [/\b(Bearer|bearer|Basic) [\w.~+/=-]{8,}/g, `$1 ${HIDDEN}`],
  [/\brt_[\w-]{6,}/g, HIDDEN],
  [/\bwhsec_[\w+/=-]+/g, HIDDEN],
  [/AGE-SECRET-KEY-1\w*/g, HIDDEN],
  [/([?&][\w.-]{1,60}=)[^\s&"'\\]+/g, `$1${HIDDEN}`],
  [
    /\b((?:password|passwd|secret|token|api[_-]?key)["'\\]{0,3} {0,3}[:=] {0,3}["'\\]{0,3})[^\s"'\\,}]+/gi,
    `$1${HIDDEN}`,
  ],
  [/\/authorize\/[^\s"'\\?#]+/g, `/authorize/${HIDDEN}`],
];
const LONG_WORD = /[\w+/=-]{40,}/g;

export class Scrubber {
  /** Longest first, so that no part of one is left. */
  readonly #texts: readonly (readonly [text: string, shown: string])[];

  /** `secrets` are hidden; `paths` have a name that takes their place. */
  constructor({ secrets, paths }: { secrets: readonly string[]; paths: ReadonlyMap<string, string> }) {
    const hidden = secrets.map((secret) => [secret, HIDDEN] as const);
    const named = [...paths].map(([path, name]) => [path, `<${name}>`] as const);
    this.#texts = [...hidden, ...named]
      .filter(([text]) => text.length >= LEAST_LENGTH)
      .toSorted(([one], [other]) => other.length - one.length);
  }

  /** A value with all its texts scrubbed. Keys of objects are ours and stay. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.value(each)]));
  }

  text(text: string): string {
    let shown = text;
    for (const [hidden, replacement] of this.#texts) shown = shown.replaceAll(hidden, replacement);
    shown = shown.replaceAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'\\]+/gi, shownAddress);
    for (const [pattern, replacement] of PATTERNS) shown = shown.replaceAll(pattern, replacement);
    return shown.replaceAll(LONG_WORD, (word) => (/\d/.test(word) && /[a-z]/i.test(word) ? HIDDEN : word));
  }
}

/** Scheme, host and port. The rest may be a credential: user and password, a token in the path or the query. */
function shownAddress(given: string): string {
  let length = given.length;
  while (AFTER_ADDRESS.includes(given.charAt(length - 1)) && length > 0) length -= 1;
  const end = given.slice(length);
  const url = URL.parse(given.slice(0, length));
  if (url === null || url.host === "") return HIDDEN + end;
  const rest = url.pathname.length > 1 || url.search !== "" || url.hash !== "" ? `/${HIDDEN}` : "";
  const user = url.username === "" && url.password === "" ? "" : `${HIDDEN}@`;
  return `${url.protocol}//${user}${url.host}${rest}${end}`;
}
