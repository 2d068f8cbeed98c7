// Arguments and results of a tool in its span, without secrets and with a limit of size. Only for projects of the setting
// `telemetry.content`.
import type { Content } from "../activity";
import { GEN_AI } from "./names";
import type { Attributes } from "./span";

/** Of each, in characters. */
export const MAX_CONTENT = 8192;
/** Longer than what is kept, so that a secret is not cut where the search ends. */
const MAX_SEARCHED = 8 * MAX_CONTENT;
/** Shorter ones are also words. */
const MIN_SECRET = 4;
const REDACTED = "[redacted]";

/** Secrets: texts that the run has used, as they were sent. */
export function contentAttributes(content: Content, secrets: readonly string[]): Attributes {
  const forms = formsOf(secrets);
  return {
    [GEN_AI.arguments]: textOf(content.arguments, forms),
    [GEN_AI.result]: textOf(content.result, forms),
  };
}

function textOf(value: unknown, forms: readonly string[]): string | undefined {
  if (value === undefined) return undefined;
  let text = jsonOf(value).slice(0, MAX_SEARCHED);
  for (const form of forms) text = text.replaceAll(form, REDACTED);
  return text.length <= MAX_CONTENT ? text : `${text.slice(0, MAX_CONTENT)}…`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
}

/** The longest first, so that a part of a secret is not replaced within it. */
function formsOf(secrets: readonly string[]): string[] {
  const texts = new Set(secrets.flatMap(partsOf).filter((text) => text.length >= MIN_SECRET));
  const forms = new Set([...texts].flatMap(encodings));
  return [...forms].toSorted((one, other) => other.length - one.length);
}

/** A header, its value without the scheme, and the user name and password of basic authentication. */
function partsOf(secret: string): string[] {
  const [, scheme, rest] = /^([A-Za-z][\w-]*) +(\S.*)$/.exec(secret) ?? [];
  if (scheme === undefined || rest === undefined) return [secret];
  const basic = scheme.toLowerCase() === "basic" ? Buffer.from(rest, "base64").toString("utf8") : "";
  const at = basic.indexOf(":");
  return [secret, rest, ...(at === -1 ? [] : [basic, basic.slice(at + 1)])];
}

/** As it is in JSON and in JSON within it, in an address, in a form, in hexadecimal, and within a longer text in base64. */
function encodings(text: string): string[] {
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const plain = [text, escaped(text), escaped(escaped(text))];
  const others = [encodeURIComponent(text.toWellFormed()), form, Buffer.from(text).toString("hex")];
  return [...plain, ...others, ...[0, 1, 2].flatMap((before) => base64Within(text, before))];
}

/** The digits that are the same whatever is before and after the text. `before`: how many bytes, of three. */
function base64Within(text: string, before: number): string[] {
  const digits = Buffer.from("\0".repeat(before) + text).toString("base64");
  const inner = digits
    .slice(before === 0 ? 0 : 4)
    .replace(/={1,2}$/, "")
    .slice(0, -2);
  return inner.length < MIN_SECRET ? [] : [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
