// A caller that knows nothing about the tools but their input schemas: it mends refused inputs by the texts of the errors.
import { isObject, nearest } from "../../../src/base";
import { describe, type Input, mend } from "./mender";

export type Call = Readonly<{ tool: string; input: Input }>;
export type Answer = Readonly<{ ok: boolean; text: string }>;
/** Input schemas by the tools' names. */
export type Tools = Readonly<Record<string, unknown>>;

const MOST_TRIES = 2;

/** The calls that it wants: the first, then mended ones, each after the look-ups that the descriptions name. */
export function* attempts(tools: Tools, { tool, input: first }: Call): Generator<Call, void, Answer> {
  let input = first;
  let answer = yield { tool, input };
  for (let tries = 0; !answer.ok && tries < MOST_TRIES; tries++) {
    const { properties } = Object(tools[tool]);
    const mended = mend(properties, input, answer.text);
    input = mended.input;
    for (const name of mended.wanted) {
      const place = /`(\w+)` in the answer of ([\w.]+\w)/.exec(describe(properties, name));
      if (place === null) continue;
      const [, key = "", lister = ""] = place;
      const found = yield { tool: lister, input: taken(tools[lister], properties, input) };
      if (found.ok) input = chosen(properties, input, name, valuesOf(JSON.parse(found.text), key));
    }
    answer = yield { tool, input };
  }
}

/** What another tool requires of an input: parameters with the same name or the same description. */
function taken(other: unknown, properties: unknown, input: Input): Input {
  const { properties: others, required = [] } = Object(other);
  const sameAs =
    (name: string) =>
    (given: string): boolean =>
      name === given || describe(others, name) === describe(properties, given);
  return Object.fromEntries(
    required.map((name: string) => [name, input[Object.keys(input).find(sameAs(name)) ?? ""]]),
  );
}

function chosen(properties: unknown, input: Input, name: string, values: readonly unknown[]): Input {
  const given = String(input[name] ?? "");
  const others = values.filter((value) => typeof value === "string" && value !== given).map(String);
  const value = (given === "" ? undefined : nearest(given, others)) ?? others[0];
  return { ...input, [name]: Object(Object(properties)[name])["type"] === "array" ? [value] : value };
}

function valuesOf(json: unknown, key: string): unknown[] {
  if (Array.isArray(json)) return json.flatMap((item) => valuesOf(item, key));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => (name === key ? [value] : valuesOf(value, key)));
}
