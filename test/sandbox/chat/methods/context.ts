// What a method of the Web API gets to work with.
import type { Arguments } from "../arguments";
import type { JsonRecord } from "../json";
import { PlatformError } from "../platform-error";
import type { Caller, TokenStore } from "../tokens";
import type { PageFault } from "../types";
import type { Workspace } from "../workspace";

export interface MethodCall {
  readonly caller: Caller;
  readonly token: string;
  readonly params: Arguments;
  readonly fault: PageFault | null;
  readonly workspace: Workspace;
  readonly tokens: TokenStore;
}

/** One method: its answer without `ok`. Refuses by throwing `PlatformError`. */
export interface Method {
  /** `X-Accepted-OAuth-Scopes`. */
  readonly accepts: readonly string[];
  /** What every call needs; what depends on the conversation is checked by the method itself. */
  readonly needs: readonly string[];
  readonly run: (call: MethodCall) => Promise<JsonRecord>;
}

/** With an org-wide token the workspace must be named. */
export function checkTeam(call: MethodCall): void {
  const { organization, team } = call.workspace;
  if (organization === null) return;
  const teamId = call.params["team_id"] ?? "";
  if (teamId === "") throw new PlatformError("missing_argument");
  if (teamId !== team.id) throw new PlatformError("team_not_found");
}
