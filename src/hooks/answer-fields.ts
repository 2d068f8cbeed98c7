// The fields that the answers of webhooks may have.
import { isObject, type Json, typoOf } from "../base";
import type { Point } from "./schema";
import { WebhookFailure } from "./webhook";

const VERDICT = ["code", "error_message", "override"];
const TOP: Readonly<Record<Point, readonly string[]>> = {
  access: ["only", "deny", "code"],
  pre: VERDICT,
  post: VERDICT,
};
const VERSION = ["version", "requirements", "metadata"];

/** Names are logged only if they look like names of fields, because an answer may contain anything. */
const NAME = /^[A-Za-z_][\w-]{0,39}$/;
const MOST_NAMES = 5;

/**
 * Throws `WebhookFailure` if a field of the answer is very likely a mistyped known one: without it, the answer does not say
 * what its author means.
 */
export function checkNoTypo(point: Point, answer: { readonly [key: string]: unknown }): void {
  refuseTypo(answer, TOP[point], "the answer");
}

/** The same for an entry of a list of versions: without its version, it means all of them. */
export function checkVersionEntry(entry: { readonly [key: string]: unknown }, list: string): void {
  refuseTypo(entry, VERSION, `a version in ${list}`);
}

/** Throws `WebhookFailure` if an override has a field that would have no effect. */
export function checkOverride(override: { readonly [key: string]: unknown }, known: readonly string[]): void {
  if (Object.keys(override).every((name) => known.includes(name))) return;
  throw new WebhookFailure(
    `breaks the contract: override has an unknown field; the known ones here are ${known.join(", ")}`,
  );
}

/** The names of the fields that are ignored, for the log: a few of them at most. */
export function ignoredFields(point: Point, answer: Json): string[] {
  if (!isObject(answer)) return [];
  const unknown = Object.keys(answer).filter((name) => !TOP[point].includes(name));
  return unknown.slice(0, MOST_NAMES).map((name) => (NAME.test(name) ? name : "(another name)"));
}

// The message contains no part of the answer.
function refuseTypo(
  fields: { readonly [key: string]: unknown },
  known: readonly string[],
  what: string,
): void {
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    const meant = typoOf(name, known);
    if (meant === undefined) continue;
    throw new WebhookFailure(
      `breaks the contract: ${what} has a field that is not known, but close to ${meant}`,
    );
  }
}
