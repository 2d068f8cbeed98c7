// Expressions of `response_map`: `$.a.b`, `join('$.path',' ')`, `jwt_decode('$.token','$.claim')`, nested.
import { isObject, type Json, parseJson } from "../base";

/** Evaluates a parsed expression. Returns `undefined` if the path does not exist. */
export type Expression = (response: Json) => Json | undefined;

const PATH = /^\$(?:\.[A-Za-z0-9_-]+|\[\d+\]|\['[^']+'\])*$/;
const SEGMENT = /\.([A-Za-z0-9_-]+)|\[(\d+)\]|\['([^']+)'\]/g;

/** Throws `SyntaxError` with the expected syntax. */
export function parseExpression(text: string): Expression {
  const source = text.trim();
  if (source.startsWith("$")) return path(source);
  const call = /^(join|jwt_decode)\((.*)\)$/s.exec(source);
  if (call === null) throw new SyntaxError("expected a path such as $.a.b, or join(…) or jwt_decode(…)");
  const [first, second, ...rest] = splitArguments(call[2] ?? "");
  if (first === undefined || second === undefined || rest.length > 0) {
    throw new SyntaxError(`${call[1]} takes two arguments`);
  }
  const inner = parseExpression(unquote(first));
  return call[1] === "join" ? join(inner, unquote(second)) : jwtDecode(inner, path(unquote(second)));
}

function path(source: string): Expression {
  if (!PATH.test(source)) throw new SyntaxError("a path looks like $.a.b or $.list[0]");
  const segments = [...source.matchAll(SEGMENT)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  return (response) => {
    let value: Json | undefined = response;
    for (const segment of segments) {
      if (Array.isArray(value)) value = value[Number(segment)];
      else if (isObject(value) && Object.hasOwn(value, segment)) value = value[segment];
      else return undefined;
    }
    return value;
  };
}

function join(inner: Expression, separator: string): Expression {
  return (response) => {
    const value = inner(response);
    return Array.isArray(value) ? value.map(String).join(separator) : value;
  };
}

// The token came from the provider over TLS, so its signature is not verified.
function jwtDecode(inner: Expression, claim: Expression): Expression {
  return (response) => {
    const token = inner(response);
    const payload = typeof token === "string" ? token.split(".")[1] : undefined;
    if (payload === undefined) return undefined;
    try {
      return claim(parseJson(Buffer.from(payload, "base64url").toString("utf8")));
    } catch {
      return undefined;
    }
  };
}

/** Splits at commas outside quotes and parentheses. Throws `SyntaxError` if one of these is not closed. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let index = 0; index < text.length && depth >= 0; index++) {
    const char = text[index];
    if (char === "'") quoted = !quoted;
    if (quoted) continue;
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (quoted || depth !== 0) throw new SyntaxError("a quote or parenthesis is left open");
  return [...parts, text.slice(start)];
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^'.*'$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
