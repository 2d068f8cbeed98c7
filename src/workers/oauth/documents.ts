// Reads the documents of a worker and its authorization server. Both are outside: each step is short and bounded.
import { jsonObjectIn, visible } from "../../base";
import type { Core } from "../../core";
import { EgressError } from "../../egress";
import { OAuthFailure } from "./failure";

const STEP_MS = 5000;
const MAX_BYTES = 500_000;

/** The outbound client for one project. */
export type Get = (address: string) => Promise<Response>;

export function getFor({ egress }: Pick<Core, "egress">, project: string): Get {
  return (address) =>
    egress.fetch(address, {
      group: "auth_provider",
      project,
      headers: { accept: "application/json" },
      timeoutMs: STEP_MS,
      maxBytes: MAX_BYTES,
      redirects: "follow",
    });
}

/**
 * The JSON object at an address; undefined if there is none there: a status of 4xx, or another type of answer. Throws
 * `OAuthFailure` `unreachable` if that cannot be said, so that a broken answer never leads to a weaker way.
 */
export async function documentAt(
  get: Get,
  address: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await get(address).catch((error: unknown) => {
    throw unreachable(address, error);
  });
  const text = await response.text();
  if (response.status >= 500 || response.status === 429)
    throw new OAuthFailure("unreachable", `${shown(address)} answers ${response.status}. Try again later.`);
  if (response.status !== 200) return undefined;
  return jsonObjectIn(text);
}

/** What the outbound client says, as a failure; anything else is thrown again. */
export function unreachable(address: string, error: unknown): unknown {
  if (error instanceof EgressError)
    return new OAuthFailure("unreachable", `${shown(address)} cannot be read. ${error.message}`, error);
  return error;
}

/** A text from outside, for a message. */
export function shown(text: string): string {
  return visible(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
