// The user and workspace of the grant: stored with the grant at consent, otherwise requested once.
import { type JsonObject, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { CACHE_MS } from "../limits";
import { textIn } from "../../upstream/json";

const AUTH_TEST = "auth.test";

/** The id of the user who gave the grant. Makes a call only if the grant does not store it. */
export async function ownId(client: ChatClient): Promise<string> {
  const id = knownOwnId(client) ?? textIn(await authTest(client), "user_id");
  if (id === undefined) throw upstreamFailed("The platform did not return the user of this grant.");
  return id;
}

/** The id of the user who gave the grant, if it is known without a call. */
export function knownOwnId(client: ChatClient): string | undefined {
  return fact(client, "user_id");
}

/** The workspace of the grant, as far as it is known without a call. */
export function knownTeam(client: ChatClient): { id: string | undefined; name: string | undefined } {
  const answer = client.context.cache.get<JsonObject>(AUTH_TEST) ?? {};
  return {
    id: fact(client, "team_id") ?? textIn(answer, "team_id"),
    name: fact(client, "team_name") ?? textIn(answer, "team"),
  };
}

/** A fact that was stored with the grant. */
export function fact(client: ChatClient, name: string): string | undefined {
  const value = client.context.grant?.facts[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The answer of `auth.test`, requested once. */
export async function authTest(client: ChatClient): Promise<JsonObject> {
  const { cache } = client.context;
  const known = cache.get<JsonObject>(AUTH_TEST);
  if (known !== undefined) return known;
  const answer = await client.shared(AUTH_TEST, () => client.call(AUTH_TEST));
  cache.set(AUTH_TEST, answer, CACHE_MS);
  return answer;
}
