// Values at random for a schema of the API description: most of them fit, and those that do not are of the kinds that
// break servers.
import fc from "fast-check";
import { extensions } from "../../catalogs";
import { isObject } from "../../src/base";
import { FORMATS } from "../../src/tools/schema";
import { variantsOf } from "./schema";
import { MODEL, TOOL_NAMES, USER, WORKER_TOOL_NAMES } from "./world";

const ALL_NAMES = [...TOOL_NAMES, ...WORKER_TOOL_NAMES];

/** What callers write into fields of these names: without it nearly everything ends at "there is no such tool". */
const PLAUSIBLE: Readonly<Record<string, readonly string[]>> = {
  tool_name: [
    ...ALL_NAMES,
    ...ALL_NAMES.map((name) => name.replace(".", "_")),
    "Chat.WhoAmI@1.0.0",
    "Nowhere.Nothing",
  ],
  tool_names: ALL_NAMES,
  toolkit: [...extensions.catalogs.map(({ toolkit }) => toolkit.name), "Peer", "Web", "nowhere"],
  user_id: [USER, "bob"],
  provider_id: ["slack", "google", "zoho", "nowhere"],
  format: FORMATS,
  include_format: FORMATS,
  filter: [
    '{"read_only":true}',
    '{"operations":{"none_of":["read"]}}',
    "{}",
    "[]",
    "{",
    '{"extras":{"a":{}}}',
  ],
  next_uri: ["https://application.example.com/done", "http://[", "javascript:alert(1)"],
  model: [MODEL, "local", `local/${MODEL}`, "no such model"],
  // Any more than that and the test would sit and wait.
  wait: ["0", "-1", "60", "1.5", "soon"],
};

const NASTY = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e",
  "😀".repeat(50),
  "ä".repeat(300),
  "a".repeat(20_000),
  "../../etc/passwd",
  "%00%2f..%",
  "'; DROP TABLE secrets; --",
  "<img src=x onerror=alert(1)>",
  "{{client_secret}}",
  "${7*7}",
  "__proto__",
  "constructor",
  "null",
  "-0",
  "1e999",
  "99999999999999999999",
  "http://169.254.169.254/latest",
  "https://user:pass@idp.example/",
  "http://127.0.0.1:1/",
  "2026-02-30T25:61:61Z",
  "\r\nset-cookie: a=b",
];

const text = fc.oneof(fc.string(), fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(...NASTY));

/** Any JSON at all. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(...NASTY),
  fc.constantFrom(0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, true, false, null, [], {}, [[]], [null]),
  fc.constantFrom({ __proto__: { admin: true } }, { constructor: 1 }, { toString: "x" }, [[[[[[[[]]]]]]]]),
);

/** A run of any tool, with an input made after the tool's own schema. */
export const toolRuns: fc.Arbitrary<object> = fc.oneof(
  ...extensions.catalogs.flatMap(({ toolkit, tools }) =>
    tools.map(({ name, input }) =>
      fc.record({
        tool_name: fc.constant(`${toolkit.name}.${name}`),
        user_id: fc.constant(USER),
        input: arbitraryOf(input),
      }),
    ),
  ),
);

export function arbitraryOf(given: unknown, name = ""): fc.Arbitrary<unknown> {
  const plausible = PLAUSIBLE[name];
  const made = fc.oneof(...variantsOf(given).map((schema) => ofVariant(schema, name)));
  return plausible === undefined ? made : fc.oneof(fc.constantFrom(...plausible), made);
}

/** A text at random for a parameter of the path or the query. */
export function parameterOf(given: unknown, name: string): fc.Arbitrary<string> {
  const plausible = PLAUSIBLE[name];
  if (name === "wait" && plausible !== undefined) return fc.constantFrom(...plausible);
  const written = arbitraryOf(given, name).map((value) =>
    Array.isArray(value) ? value.join(",") : String(value),
  );
  return fc.oneof(written, text);
}

function ofVariant(schema: Readonly<Record<string, unknown>>, name: string): fc.Arbitrary<unknown> {
  const { type, enum: values, const: only, items, additionalProperties } = schema;
  if (Array.isArray(values) && values.length > 0) return fc.oneof(fc.constantFrom(...values), text);
  if (only !== undefined) return fc.constant(only);
  if (type === "string") return ofText(schema);
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.oneof(fc.integer(rangeOf(schema)), fc.integer());
  if (type === "number") return fc.oneof(fc.double({ noNaN: true, ...rangeOf(schema) }), fc.integer());
  if (type === "null") return fc.constant(null);
  if (type === "array") return fc.array(arbitraryOf(items ?? {}, name), { maxLength: 4 });
  if (isObject(schema["properties"])) return ofObject(schema["properties"], schema["required"]);
  if (isObject(additionalProperties))
    return fc.dictionary(fc.string(), arbitraryOf(additionalProperties), { maxKeys: 3 });
  return type === "object" ? fc.dictionary(fc.string(), anything, { maxKeys: 3 }) : anything;
}

function ofText({
  pattern,
  format,
  minLength,
  maxLength,
}: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (typeof pattern === "string") return fc.oneof(ofPattern(pattern), text);
  const most = Math.min(50, Number(maxLength ?? 50));
  return fc.oneof(fc.string({ minLength: Number(minLength ?? 0), maxLength: most }), text);
}

// The library writes no text for what looks ahead.
function ofPattern(pattern: string): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=][^)]*\)/g, "")), { size: "-1" });
}

function ofObject(properties: Readonly<Record<string, unknown>>, required: unknown): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, arbitraryOf(one, name)]),
  );
  return fc.record(model, { requiredKeys: Array.isArray(required) ? required.map(String) : [] });
}

function rangeOf({ minimum, maximum }: Readonly<Record<string, unknown>>): { min?: number; max?: number } {
  return {
    ...(typeof minimum === "number" ? { min: minimum } : {}),
    ...(typeof maximum === "number" ? { max: maximum } : {}),
  };
}
