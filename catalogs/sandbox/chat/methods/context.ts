// The context of a Web API method.
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
  /** Scopes that every call needs; the method checks those that depend on the conversation. */
  readonly needs: readonly string[];
  readonly run: (call: MethodCall) => Promise<JsonRecord>;
}

/** An org-wide token must name the workspace. */
export function checkTeam(call: MethodCall): void {
  const { organization, team } = call.workspace;
  if (organization === null) return;
  const teamId = call.params["team_id"] ?? "";
  if (teamId === "") throw new PlatformError("missing_argument");
  if (teamId !== team.id) throw new PlatformError("team_not_found");
}
