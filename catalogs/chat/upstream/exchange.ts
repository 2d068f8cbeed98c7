// One request to the Web API and its answer, without judgement: form body out, status and JSON in.
import { readJson } from "../../../src/egress";
import type { JsonObject, ToolContext } from "../../../src/tools";
import { isJsonObject } from "./json";
import type { MethodName, Params } from "./methods";

/** What came back. */
export interface Answer {
  status: number;
  /** Undefined when the body is not a JSON object: gateways answer with HTML, broken ones with nothing. */
  body: JsonObject | undefined;
  /** How long the platform asks to wait, when it says so. */
  retryAfterMs: number | undefined;
  /** The scopes that the token holds now, when the platform says so. */
  scopesHeld: readonly string[] | undefined;
}

/**
 * Calls a method. Every one of them takes a form body; only some take JSON.
 * Throws `EgressError`; an answer of any kind is not an error.
 */
export async function exchange(
  context: ToolContext,
  method: MethodName,
  params: Params,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await context.fetch("api", method, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      accept: "application/json",
    },
    body: formOf(params),
    signal,
  });
  const held = response.headers.get("x-oauth-scopes");
  return {
    status: response.status,
    body: await bodyOf(response),
    retryAfterMs: retryAfterMs(response.headers.get("retry-after"), context.now()),
    scopesHeld: held === null ? undefined : scopesFrom(held),
  };
}

/** Booleans in lower case, lists comma-separated, nothing for what is absent or empty. */
function formOf(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") form.set(name, text);
  }
  return form.toString();
}

async function bodyOf(response: Response): Promise<JsonObject | undefined> {
  try {
    const json = await readJson(response);
    return isJsonObject(json) ? json : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `Retry-After` is whole seconds, or an HTTP date. No time, or one that is over, says nothing. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return ms > 0 ? ms : undefined;
}

/** The platform separates scopes by commas, older answers by spaces. */
export function scopesFrom(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== "");
}
