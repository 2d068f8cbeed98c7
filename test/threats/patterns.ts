// Regular expressions that are not literals, with what they become; and packages that read only our own texts.

const AMOUNT = String.raw`-?(?:\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?`;
const CHOSEN_ID = /^(?:\.{0,2}[A-Za-z0-9_-]|\.{3})[A-Za-z0-9._-]*$/u;

/** By file and expression. No sample: the expression is not one, or comes from another place that is collected. */
export const BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  "src/crypto/api-key.ts: new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`)": [
    /^rt_[0-9A-Za-z]{49}$/,
  ],
  "src/providers/schema.ts: CHOSEN_ID": [CHOSEN_ID],
  "src/identity/schema.ts: CHOSEN_ID": [CHOSEN_ID],
  // Written into the API description, from a schema.
  "server/openapi/components.ts: pattern": [],
  "catalogs/sheets/cells/typed.ts: new RegExp(`^\\\\$(${AMOUNT})$`)": [new RegExp(`^\\$(${AMOUNT})$`)],
  "catalogs/sheets/cells/typed.ts: new RegExp(`^(${AMOUNT})%$`)": [new RegExp(`^(${AMOUNT})%$`)],
  "src/crypto/old-roots.ts: new RegExp(`^\\\\.(${ID})\\\\.old$`)": [/^\.([0-9a-f]{16})\.old$/],
  'src/llm/upstream/failure.ts: new RegExp(`(?<![\\\\p{L}\\\\p{N}_-])${RegExp.escape(key)}(?![\\\\p{L}\\\\p{N}_-])`, "gu")':
    [/(?<![\p{L}\p{N}_-])key-of-a-model(?![\p{L}\p{N}_-])/gu],
  // The name is made of a random number.
  'cli/output.ts: new RegExp(`quoted_text_${nonce}_(\\\\d+)`, "g")': [/quoted_text_f00d_(\d+)/g],
  // Only compiled, to see whether it can be: `longestText` judges it (test/schemas/patterns.test.ts).
  'src/schemas/pattern.ts: new RegExp(pattern, "u")': [],
  // Tested as long as `judgedPattern` allows (test/schemas/pattern-steps.test.ts).
  'src/schemas/spending-pattern.ts: new RegExp(pattern, "u")': [],
  "src/schemas/cleaned.ts: pattern": [],
  // Names of keywords.
  'src/schemas/keywords.ts: ["pattern"]': [],
  // The number format of a cell.
  "catalogs/sheets/cells/typed.ts: pattern": [],
};

const V4 = "(0?\\d+|0x[a-f0-9]+)";
const V4_FOUR = [V4, V4, V4, V4].join("\\.");
const ZONE = "%[0-9a-z]{1,}";
const V6 = "(?:[0-9a-f]+::?)+";
const TOKEN = "[a-zA-Z0-9!#$%&\\'\\*\\+\\-\\.\\^_`\\|~]+";

const CONSONANTS = "([^aeiou][^aeiouy]*)";
const VOWELS = "([aeiouy][aeiou]*)";

export const PACKAGE_BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  'node_modules/stemmer/index.js: new RegExp("^" + consonants + "?" + vowels + consonants)': [
    new RegExp(`^${CONSONANTS}?${VOWELS}${CONSONANTS}`),
  ],
  'node_modules/stemmer/index.js: new RegExp("^" + consonants + "?" + vowels + consonants + vowels + "?$")': [
    new RegExp(`^${CONSONANTS}?${VOWELS}${CONSONANTS}${VOWELS}?$`),
  ],
  'node_modules/stemmer/index.js: new RegExp("^" + consonants + "?(" + vowels + consonants + "){2,}")': [
    new RegExp(`^${CONSONANTS}?(${VOWELS}${CONSONANTS}){2,}`),
  ],
  'node_modules/stemmer/index.js: new RegExp("^" + consonants + "?" + vowel)': [
    new RegExp(`^${CONSONANTS}?[aeiouy]`),
  ],
  'node_modules/stemmer/index.js: new RegExp("^" + consonants + vowel + "[^aeiouwxy]$")': [
    new RegExp(`^${CONSONANTS}[aeiouy][^aeiouwxy]$`),
  ],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}$`, "i")':
    [new RegExp(`^${V4_FOUR}$`, "i")],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}$`, "i")': [
    new RegExp(`^${V4}\\.${V4}\\.${V4}$`, "i"),
  ],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^${ipv4Part}\\\\.${ipv4Part}$`, "i")': [
    new RegExp(`^${V4}\\.${V4}$`, "i"),
  ],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^${ipv4Part}$`, "i")': [new RegExp(`^${V4}$`, "i")],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^0[0-7]+$`, "i")': [/^0[0-7]+$/i],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^0x[a-f0-9]+$`, "i")': [/^0x[a-f0-9]+$/i],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(zoneIndex, "i")': [new RegExp(ZONE, "i")],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^(::)?(${ipv6Part})?([0-9a-f]+)?(::)?(${zoneIndex})?$`, "i")':
    [new RegExp(`^(::)?(${V6})?([0-9a-f]+)?(::)?(${ZONE})?$`, "i")],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^(?:::)(${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}(${zoneIndex})?)$`, "i")':
    [new RegExp(`^(?:::)(${V4_FOUR}(${ZONE})?)$`, "i")],
  'node_modules/ipaddr.js/lib/ipaddr.js: new RegExp(`^((?:${ipv6Part})|(?:::)(?:${ipv6Part})?)${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}\\\\.${ipv4Part}(${zoneIndex})?$`, "i")':
    [new RegExp(`^((?:${V6})|(?:::)(?:${V6})?)${V4_FOUR}(${ZONE})?$`, "i")],
  'node_modules/oauth4webapi/build/index.js: new RegExp("^[,\\\\s]*(" + tokenMatch + ")")': [
    new RegExp(`^[,\\s]*(${TOKEN})`),
  ],
  'node_modules/oauth4webapi/build/index.js: new RegExp("^[,\\\\s]*" + quotedParamMatcher + "[,\\\\s]*(.*)")':
    [new RegExp(`^[,\\s]*(${TOKEN})\\s*=\\s*"((?:[^"\\\\]|\\\\[\\s\\S])*)"[,\\s]*(.*)`)],
  'node_modules/oauth4webapi/build/index.js: new RegExp("^[,\\\\s]*" + paramMatcher + "[,\\\\s]*(.*)")': [
    new RegExp(`^[,\\s]*(${TOKEN})\\s*=\\s*(${TOKEN})[,\\s]*(.*)`),
  ],
  'node_modules/oauth4webapi/build/index.js: new RegExp("^(" + token68Match + ")(?:$|[,\\\\s])(.*)")': [
    /^([a-zA-Z0-9\-._~+/]+={0,2})(?:$|[,\s])(.*)/,
  ],
  'node_modules/light-my-request/lib/response.js: new RegExp("\\\\r\\\\n" + name + ": ([^\\\\r]*)\\\\r\\\\n")':
    [/\r\nConnection: ([^\r]*)\r\n/],
  'node_modules/cookies/index.js: new RegExp("(?:^|;) *" + name.replace(REGEXP_ESCAPE_CHARS_REGEXP, "\\\\$&") + "=([^;]*)")':
    [/(?:^|;) *_session=([^;]*)/],
  "node_modules/oidc-provider/lib/shared/session.js: new RegExp(`^${sessionCookieName}(?:\\\\.sig)?=`)": [
    /^_session(?:\.sig)?=/,
  ],
  // The patterns of our schemas, which are collected from the sources, and keys of our schemas.
  "node_modules/typebox/build/guard/guard.mjs: new RegExp(`^${key}$`)": [],
  'node_modules/typebox/build/schema/engine/_regexp.mjs: new RegExp(pattern, "u")': [],
  "node_modules/typebox/build/schema/engine/pattern.mjs: schema.pattern": [],
  'node_modules/typebox/build/type/engine/helpers/keys.mjs: new RegExp("^(?:0|[1-9][0-9]*)$")': [
    /^(?:0|[1-9][0-9]*)$/,
  ],
};

/** Packages and folders of them, with what they read. */
export const OWN_TEXT_ONLY: Readonly<Record<string, string>> = {
  "@ironcalc/": "only in the sandbox, whose callers are on this machine",
  emulate: "only in the sandbox, whose callers are on this machine",
  numfmt: "only in the sandbox, whose callers are on this machine",
  "@peculiar/": "certificates of attestations, which are dropped before",
  asn1js:
    "certificates of attestations, which are dropped before, and what is printed of keys and signatures",
  "@inquirer/": "keys that the operator presses",
  "@scalar/": "not called: the page of the API description is served from files",
  "@sinclair/": "not called: part of the package of the API description",
  chalk: "variables of the terminal",
  debug: "not called: part of a package for uploads",
  "elysia/dist/adapter/bun/": "the paths of our routes",
  "elysia/dist/compose.mjs": "the source of our handlers",
  "elysia/dist/sucrose.mjs": "the source of our handlers",
  "elysia/dist/type-system/": "not called: bodies and queries are checked by our own schemas",
  "exact-mirror": "not called: answers are written by our own code",
  "fast-string-": "the texts of our prompts",
  "fast-wrap-ansi": "the texts of our prompts",
  memoirist: "the paths of our routes",
  ms: "not called: part of debug",
  "mute-stream": "keys that the operator presses",
  "yaml/": "documents that the operator applies in their own terminal; servers do not use it",
  "typebox/build/format/": "only date-time is used",
  "typebox/build/type/": "our own schemas",
};
