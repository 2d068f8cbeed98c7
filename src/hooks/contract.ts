// The requests to webhooks, as of the published contract 1.1.1-beta. They contain the claims of a token, never the token.
import { isObject, parseJson, type Redacted } from "../base";
import type { GuardedCall, GuardedOutcome, Tool } from "../tools";

/** Toolkit → tool → its versions. */
type Toolkits = { [toolkit: string]: { tools: { [tool: string]: object[] } } };

export function accessRequest(userId: string, tools: readonly Tool[]): string {
  const toolkits: Toolkits = {};
  for (const { catalog, definition } of tools) {
    const { name, version } = catalog.toolkit;
    const toolkit = (toolkits[name] ??= { tools: {} });
    const { authorization, userKeys = [], secrets = [], metadata } = definition;
    const keys = userKeys.map((id) => ({
      provider_id: id,
      provider_type: "api_key",
      oauth2: { scopes: [] },
    }));
    const consent =
      authorization === undefined
        ? []
        : [
            {
              provider_id: authorization.provider,
              provider_type: "oauth2",
              oauth2: { scopes: authorization.scopes },
            },
          ];
    const requirements = {
      authorization: [...consent, ...keys],
      secrets: secrets.map((key) => ({ name: key })),
    };
    (toolkit.tools[definition.name] ??= []).push({ version, requirements, metadata });
  }
  return JSON.stringify({ user_id: userId, toolkits });
}

export function preRequest(call: GuardedCall): string {
  return JSON.stringify({ ...aboutCall(call), inputs: call.inputs });
}

export function postRequest(call: GuardedCall, outcome: GuardedOutcome): string {
  const failed = "error" in outcome;
  return JSON.stringify({
    ...aboutCall(call),
    inputs: call.inputs,
    success: !failed,
    // Always present: null and absent mean the same.
    output: failed ? null : (outcome.value ?? null),
    execution_code: failed ? outcome.error.kind : "OK",
    ...(failed ? { execution_error: outcome.error.message } : {}),
  });
}

function aboutCall(call: GuardedCall): object {
  const { definition, catalog } = call.tool;
  const { name: toolkit, version } = catalog.toolkit;
  return {
    execution_id: call.executionId,
    tool: { name: definition.name, toolkit, version, metadata: definition.metadata },
    context: contextOf(call),
  };
}

function contextOf({ tool, userId, authorization, grant }: GuardedCall): object {
  const { userKeys = [] } = tool.definition;
  const consent =
    authorization === undefined
      ? []
      : [
          {
            provider_id: authorization.name,
            oauth2: {
              scopes: grant?.scopes ?? [],
              // A key is never shown, whatever it looks like.
              at: authorization.provider?.apiKey === undefined ? grant && claimsOf(grant.token) : undefined,
              user_info: grant?.userInfo,
            },
          },
        ];
  // Own keys have no scopes, claims and facts.
  const keys = userKeys.map((id) => ({ provider_id: id, oauth2: { scopes: [] } }));
  return {
    authorization: [...consent, ...keys],
    secrets: tool.definition.secrets ?? [],
    metadata: {},
    user_id: userId,
  };
}

/** The claims of a JWT access token (RFC 9068), without its signature; undefined for other tokens. */
function claimsOf(token: Redacted): object | undefined {
  const parts = token.reveal().split(".");
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = parseJson(Buffer.from(parts[1] ?? "", "base64url").toString());
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
