// A person signs in: the tokens of the server are stored for the commands that follow.
import type { Config } from "../../src/config";
import { changeLogins, readLogins, withoutAddress } from "../client/logins";
import type { Common } from "../command";
import type { Io } from "../io";
import { signInWithBrowser } from "./browser";
import { signInWithDevice } from "./device";
import type { SignInServer } from "./server";
import { revoke, tokensOf } from "./tokens";

interface Caller {
  project_id: string;
  role: string;
  user_id?: string;
}

interface Terminal {
  io: Io;
  common: Common;
  config: Config;
  /** Who the server takes a token for. */
  caller(common: Common, config: Config, target: { address: string; key: string }): Promise<Caller>;
}

/** Throws `forbidden` if the server or the person refuses, and what `caller` throws. */
export async function signedIn(
  { io, common, config, caller }: Terminal,
  server: SignInServer,
  device: boolean,
): Promise<{ server: string; project_id: string; role: string; user_id: string; file: string }> {
  const { address } = server;
  const resource = resourceOf(address, common.project);
  const tokens = await (device ? signInWithDevice : signInWithBrowser)(io, server, resource);
  const fresh = tokensOf(tokens, "");
  const former = readLogins(config)?.people[address];
  try {
    const target = { address, key: fresh.access_token };
    const { project_id, role, user_id = "" } = await caller(common, config, target);
    const file = await changeLogins(config, async ({ keys, people }) => ({
      current: address,
      keys: withoutAddress(keys, address),
      people: { ...people, [address]: { ...fresh, user: user_id, project: project_id, resource } },
    }));
    if (former !== undefined && former.refresh_token !== fresh.refresh_token)
      await end(server, former.refresh_token);
    return { server: address, project_id, role, user_id, file };
  } catch (error) {
    await end(server, fresh.refresh_token);
    throw error;
  }
}

/** Ends a grant that is not stored, or no longer. If that fails, the person can end it on the server's page. */
async function end(server: SignInServer, refreshToken: string): Promise<void> {
  if (refreshToken !== "") await revoke(server, refreshToken).catch(() => undefined);
}

/** The API of a project, as the server calls it: its own address, or that of the project in it. */
function resourceOf(address: string, project: string | undefined): string {
  if (project === undefined || project === "default") return address;
  const [first = "", second] = project.split("/");
  const [org, id] = second === undefined ? ["default", first] : [first, second];
  return `${address}/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(id)}`;
}
