// The platform's messages in errors: shortened, printable, without the private link.
import type { Json, JsonObject } from "../../../src/tools";
import { TEXT_LIMIT } from "../limits";
import type { Call } from "../operation";
import type { WholeAnswer } from "../../upstream/exchange";
import { isJsonObject } from "../../upstream/json";

const MASK = "[private link]";

/**
 * The message of an answer: `message`, `description` (authorization failures), or the HTTP reason phrase of a failure.
 * Undefined if there is none: the phrase of a success says nothing about a refusal.
 */
export function textOf(call: Call, { body, reason, status }: WholeAnswer): string | undefined {
  const phrase = status < 300 ? undefined : reason;
  const message = [body?.["message"], body?.["description"], phrase].find(
    (text) => typeof text === "string" && text.trim() !== "",
  );
  return typeof message === "string" ? printed(call, message) : undefined;
}

/** A text of the platform as errors show it. */
export function printed(call: Call, text: string): string {
  return shortened(masked(call, text));
}

/** The answer without the private link, for `extra`. */
export function shownAnswer(call: Call, { body, text }: WholeAnswer): Record<string, unknown> {
  if (body !== undefined) return { response_json: maskedJson(call, body) };
  return text === "" ? {} : { response_text: shortened(masked(call, text)) };
}

function shortened(text: string): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  return printable.length > TEXT_LIMIT ? `${printable.slice(0, TEXT_LIMIT)}…` : printable;
}

function masked({ privateLink }: Call, text: string): string {
  if (privateLink === undefined) return text;
  return text.replaceAll(privateLink, MASK).replaceAll(encodeURIComponent(privateLink), MASK);
}

function maskedJson(call: Call, value: JsonObject): JsonObject;
function maskedJson(call: Call, value: Json): Json;
function maskedJson(call: Call, value: Json): Json {
  if (call.privateLink === undefined) return value;
  if (typeof value === "string") return masked(call, value);
  if (Array.isArray(value)) return value.map((item) => maskedJson(call, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [masked(call, key), maskedJson(call, inner)]),
  );
}
