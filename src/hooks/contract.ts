// What webhooks are asked: the published contract, version 1.1.1-beta. The token never goes out, only its claims.
import { isObject, parseJson, type Redacted } from "../base";
import type { GuardedCall, GuardedOutcome, Tool } from "../tools";

/** Toolkit → tool → its versions: the shape of questions and of answers about access. */
type Toolkits = { [toolkit: string]: { tools: { [tool: string]: object[] } } };

export function accessRequest(userId: string, tools: readonly Tool[]): string {
  const toolkits: Toolkits = {};
  for (const { catalog, definition } of tools) {
    const { name, version } = catalog.toolkit;
    const toolkit = (toolkits[name] ??= { tools: {} });
    const { authorization, secrets = [], metadata } = definition;
    const requirements = {
      authorization:
        authorization === undefined
          ? []
          : [
              {
                provider_id: authorization.provider,
                provider_type: "oauth2",
                oauth2: { scopes: authorization.scopes },
              },
            ],
      secrets: secrets.map((key) => ({ name: key })),
    };
    (toolkit.tools[definition.name] ??= []).push({ version, requirements, metadata });
  }
  return JSON.stringify({ user_id: userId, toolkits });
}

export function preRequest(call: GuardedCall): string {
  return `{${aboutCall(call)},"inputs":${JSON.stringify(call.inputs)}}`;
}

export function postRequest(call: GuardedCall, outcome: GuardedOutcome): string {
  const failed = "error" in outcome;
  const ended = JSON.stringify({
    inputs: call.inputs,
    success: !failed,
    // Absent and null are one to a reader of JSON; present, so that nobody has to ask.
    output: failed ? null : (outcome.value ?? null),
    execution_code: failed ? outcome.error.kind : "OK",
    ...(failed ? { execution_error: outcome.error.message } : {}),
  });
  return `{${aboutCall(call)},${ended.slice(1)}`;
}

/** What all questions about a call begin with is made once, and what is the same for all calls of a tool once and for all. */
const begun = new WeakMap<GuardedCall, string>();
const tools = new WeakMap<Tool, string>();

/** Fields of JSON, without the braces around them. */
function aboutCall(call: GuardedCall): string {
  const known = begun.get(call);
  if (known !== undefined) return known;
  const { executionId, tool } = call;
  const context = JSON.stringify(contextOf(call));
  const text = `"execution_id":${JSON.stringify(executionId)},"tool":${toolText(tool)},"context":${context}`;
  begun.set(call, text);
  return text;
}

function toolText(tool: Tool): string {
  const known = tools.get(tool);
  if (known !== undefined) return known;
  const { definition, catalog } = tool;
  const { name: toolkit, version } = catalog.toolkit;
  const text = JSON.stringify({ name: definition.name, toolkit, version, metadata: definition.metadata });
  tools.set(tool, text);
  return text;
}

function contextOf({ tool, userId, authorization, grant }: GuardedCall): object {
  return {
    authorization:
      authorization === undefined
        ? []
        : [
            {
              provider_id: authorization.name,
              oauth2: {
                scopes: grant?.scopes ?? [],
                ...optional("at", grant === undefined ? undefined : claimsOf(grant.token)),
                ...optional("user_info", grant?.userInfo),
              },
            },
          ],
    secrets: tool.definition.secrets ?? [],
    metadata: {},
    user_id: userId,
  };
}

function optional(key: string, value: unknown): object {
  return value === undefined ? {} : { [key]: value };
}

/** The claims of an access token that is a JWT (RFC 9068); undefined for every other. Its signature stays here. */
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
