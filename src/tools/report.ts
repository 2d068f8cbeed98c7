// The answer of tools/requirements: the requirements of several tools, grouped by auth provider and by secret.
import type { Authorization } from "../authorization";
import { unionOfScopes } from "../connections";
import type { Provider } from "../providers";
import type { Tool } from "./registry";
import { type AuthorizationState, consentsOf, type RequirementsState, secretReason } from "./requirements";
import type { ToolRequirementsReport } from "./schema";

interface ToolState {
  tool: Tool;
  state: RequirementsState;
}

type Start = (provider: Provider, scopes: string[]) => Promise<Authorization | undefined>;
type AuthorizationItem = ToolRequirementsReport["authorization"]["items"][string];
type SecretItem = ToolRequirementsReport["secrets"]["items"][string];

/** `start` starts a consent for missing scopes if the request asks for it. */
export async function reportOf(states: readonly ToolState[], start: Start): Promise<ToolRequirementsReport> {
  const authorizations: { [key: string]: AuthorizationItem } = {};
  for (const [key, group] of groupByProvider(states))
    authorizations[key] = await authorizationItem(group, start);
  const secrets = secretItems(states);
  const authorizationMet = Object.values(authorizations).every((item) => item.met);
  const secretsMet = Object.values(secrets).every((item) => item.met);
  return {
    met: authorizationMet && secretsMet,
    authorization: { met: authorizationMet, items: authorizations },
    secrets: { met: secretsMet, items: secrets },
  };
}

interface Need {
  tool: Tool;
  authorization: AuthorizationState;
}

function groupByProvider(states: readonly ToolState[]): Map<string, Need[]> {
  const groups = new Map<string, Need[]>();
  for (const { tool, state } of states) {
    for (const authorization of consentsOf(state)) {
      const key = authorization.provider?.id ?? authorization.name;
      groups.set(key, [...(groups.get(key) ?? []), { tool, authorization }]);
    }
  }
  return groups;
}

async function authorizationItem(group: readonly Need[], start: Start): Promise<AuthorizationItem> {
  const scopes = group.reduce<string[]>(
    (all, { authorization }) => unionOfScopes(all, authorization.scopes),
    [],
  );
  const missing = group.reduce<string[]>(
    (all, { authorization }) => unionOfScopes(all, authorization.missing),
    [],
  );
  const met = group.every(({ authorization }) => authorization.met);
  // One provider has one grant: a tool with missing scopes represents the group.
  const state = (group.find(({ authorization }) => !authorization.met) ?? group[0])?.authorization;
  const provider = state?.provider;
  const started = met || provider === undefined ? undefined : await start(provider, scopes);
  const consent = started ?? (await state?.pending?.covering(missing));
  return {
    ...(consent === undefined ? {} : { authorization_id: consent.id }),
    met,
    provider_id: state?.name ?? "",
    provider_type: provider?.type ?? "oauth2",
    scopes,
    oauth2: { scopes: missing },
    status: provider === undefined ? "inactive" : "active",
    ...(state?.reason === undefined ? {} : { status_reason: state.reason }),
    token_status: consent?.status ?? grantStatus(state),
    tool_names: group.filter(({ authorization }) => !authorization.met).map(({ tool }) => tool.qualifiedName),
    tools: group.map(({ tool, authorization }) => ({
      tool_name: tool.qualifiedName,
      met: authorization.met,
      oauth2: { scopes: authorization.missing },
    })),
    ...(consent?.url === undefined ? {} : { url: consent.url }),
  };
}

/** The status of the grant without a consent for the whole group: one for a single tool does not count. */
function grantStatus(state: AuthorizationState | undefined): AuthorizationState["tokenStatus"] {
  if (state?.granted === true) return "completed";
  return state === undefined || state.tokenStatus === "pending" ? "not_started" : state.tokenStatus;
}

function secretItems(states: readonly ToolState[]): { [key: string]: SecretItem } {
  const items: { [key: string]: SecretItem } = {};
  for (const { tool, state } of states) {
    for (const { key, met } of state.secrets) {
      const names = items[key]?.tool_names ?? [];
      const tool_names = [...names, tool.qualifiedName];
      items[key] = { met, ...(met ? {} : { status_reason: secretReason(key) }), tool_names };
    }
  }
  return items;
}
