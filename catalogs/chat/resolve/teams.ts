// The workspaces of a grant for a whole organization, which covers several: its listings are read for each of them.
import { upstreamRefused } from "../../../src/tools";
import { nonEmptyTextIn, objectsIn, textIn } from "../../upstream/json";
import type { ChatClient } from "../client";
import { CACHE_MS, LARGE_PAGE, MOST_TEAMS } from "../limits";
import { nextCursorIn } from "../upstream/exchange";
import { authTest, fact } from "./identity";

export interface Team {
  id: string;
  name: string;
}

const KEY = "teams";
const OPTIONS = { paging: true, ownCursor: true };

/** The ids to list, each by itself; `[undefined]` for a grant for one workspace, whose calls must not name it. */
export async function teamsToList(client: ChatClient): Promise<readonly (string | undefined)[]> {
  if (client.context.grant?.facts["is_enterprise_install"] !== true) return [undefined];
  // The platform may name the organization, or nothing, in place of a workspace.
  const team = fact(client, "team_id") ?? textIn(await authTest(client), "team_id");
  if (team !== undefined && team !== "" && !isOrganization(team)) return [team];
  const teams = await teamsOf(client);
  if (teams.length === 0)
    throw upstreamRefused("The organization has no workspace in which this app may be used.");
  if (teams.length > MOST_TEAMS) {
    const names = teams.slice(0, MOST_TEAMS).map(({ id, name }) => `${name} (${id})`);
    throw upstreamRefused(
      `The organization has ${teams.length} workspaces, too many to list: ${names.join(", ")}, … ` +
        "Give ids instead of names, or connect the app to one workspace.",
    );
  }
  return teams.map(({ id }) => id);
}

async function teamsOf(client: ChatClient): Promise<readonly Team[]> {
  const { cache } = client.context;
  const known = cache.get<readonly Team[]>(KEY);
  if (known !== undefined) return known;
  const teams = await client.shared(KEY, () => readTeams(client));
  cache.set(KEY, teams, CACHE_MS);
  return teams;
}

async function readTeams(client: ChatClient): Promise<Team[]> {
  const teams: Team[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const body = await client.call("auth.teams.list", { limit: LARGE_PAGE, cursor }, OPTIONS);
    for (const team of objectsIn(body, "teams")) {
      const id = nonEmptyTextIn(team, "id");
      if (id !== undefined) teams.push({ id, name: nonEmptyTextIn(team, "name") ?? id });
    }
    cursor = nextCursorIn(body);
    if (cursor === undefined || seen.has(cursor)) return teams;
    seen.add(cursor);
  }
}

/** The ids of organizations begin with `E`, those of workspaces with `T`. */
export function isOrganization(id: string): boolean {
  return id.startsWith("E");
}
