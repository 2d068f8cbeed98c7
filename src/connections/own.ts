// What a person is told about the own connections: since when, which account, and what it may do.
import { isObject, type Json, type JsonObject } from "../base";
import type { Core } from "../core";
import type { Provider, Providers } from "../providers";
import type { LiveGrants } from "./live";
import { isUsable } from "./pages";
import * as repository from "./repository";

export interface OwnConnection {
  id: string;
  providerId: string;
  /** Undefined if the record was deleted meanwhile. */
  provider: Provider | undefined;
  /** What the provider has told about the account. */
  account: string | undefined;
  scopes: readonly string[];
  /** Whether the token works, or can be refreshed. */
  usable: boolean;
  /** Milliseconds. */
  since: number;
}

/** The connections of one user, oldest first. */
export async function ownConnections(
  { store, clock }: Core,
  { providers, live }: { providers: Providers; live: LiveGrants },
  { projectId, userId, most }: { projectId: string; userId: string; most: number },
): Promise<OwnConnection[]> {
  const rows = await repository.listOfUser(store, projectId, userId, most);
  return Promise.all(
    rows.map(async (row) => {
      const provider = await providers.find(projectId, row.provider_id);
      return {
        id: row.id,
        providerId: row.provider_id,
        provider,
        account: accountName(await live.account(projectId, row.id), provider?.oauth2.account ?? []),
        scopes: JSON.parse(row.scopes) as string[],
        usable: isUsable(row, provider, clock.now()),
        since: row.created_at,
      };
    }),
  );
}

/** By which people recognize an account, in this order (OpenID Connect Core, section 5.1, and what others call it). */
const NAMES = ["email", "preferred_username", "login", "username", "display_name", "name", "sub", "id"];
const LONGEST = 200;

/** The user info of the provider; without one, the facts that tell accounts apart. */
function accountName(
  { facts, userInfo }: { facts: JsonObject; userInfo?: Json },
  named: readonly string[],
): string | undefined {
  const told = isObject(userInfo) ? NAMES.map((name) => textOf(userInfo[name])) : [];
  const first = told.find((text) => text !== undefined);
  const ids = named.flatMap((name) => textOf(facts[name]) ?? []);
  const text = first ?? (ids.length === 0 ? undefined : ids.join(", "));
  return text?.slice(0, LONGEST);
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
