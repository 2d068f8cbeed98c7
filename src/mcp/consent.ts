// Asks for a missing consent through MCP: by elicitation if the client can open a URL for its user, otherwise as text for the
// model.
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import type { Authorization, AuthorizationService } from "../authorization";
import type { Tool, Tools } from "../tools";
import type { GatewayUser } from "./access";
import { isObject, type JsonObject } from "../base";
import type { Reader } from "./answer-form";
import { RpcError, URL_ELICITATION_REQUIRED } from "./json-rpc";
import { errorText, type ResultFields } from "./result";

/** How a client is asked for consent. */
export type ConsentManner =
  /** Revision 2026-07-28: the result asks for input, and the client repeats the call with it. */
  | "input_required"
  /** Revision 2025-11-25: an error contains the URL, and the client repeats the call afterwards. */
  | "url_error"
  | "text";

/** The key of our request among the input requests of a call. */
export const CONSENT_KEY = "authorization";
/** How long a call waits for a consent in progress. Clients give up after a minute. */
const WAIT_S = 45;

/** A consent to ask for. */
export interface ConsentPage {
  address: string;
  id: string;
  message: string;
}

/** A missing consent, or a text with the reason why it cannot be started. */
export type NeededConsent = ConsentPage | { text: string };

export class GatewayConsent {
  readonly #tools: Tools;
  readonly #authorization: AuthorizationService;
  readonly #core: Core;

  constructor(core: Core, tools: Tools, authorization: AuthorizationService) {
    this.#core = core;
    this.#tools = tools;
    this.#authorization = authorization;
  }

  /** Starts the consent for a tool. Undefined if none is missing any more: the call can be repeated. */
  async start({ principal, userId }: GatewayUser, tool: Tool): Promise<NeededConsent | undefined> {
    try {
      const request = { tool_name: tool.qualifiedName, user_id: userId };
      return consentOf(await this.#tools.authorize(principal, request), tool);
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500) return { text: error.message };
      throw error;
    }
  }

  /** Waits for the consent. Returns the failure as text; undefined: the call can be repeated. */
  async wait(
    user: GatewayUser,
    id: string,
    answer: unknown,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const action = isObject(answer) ? answer["action"] : undefined;
    if (action === "decline" || action === "cancel") {
      return "The user did not allow access. Ask them before you call the tool again.";
    }
    try {
      const { status, status_reason } = await this.#authorization.status(user.principal, id, WAIT_S, signal);
      if (status !== "failed") return undefined;
      const reason = status_reason === undefined ? "" : ` (${status_reason})`;
      return `The consent failed${reason}. Ask the user before you call the tool again.`;
    } catch (error) {
      this.#core.log.debug("cannot wait for a consent", { error });
      return undefined;
    }
  }
}

/** The missing consent of an authorization; undefined if it is complete. */
export function consentOf(
  { url, id, status }: Authorization,
  { qualifiedName }: Tool,
): NeededConsent | undefined {
  if (status === "completed") return undefined;
  if (url === undefined || id === undefined)
    return { text: "authorization required, but it cannot be started." };
  return {
    address: url,
    id,
    message: `${qualifiedName} needs your consent: open the page and allow access.`,
  };
}

const INSTRUCTIONS =
  "Show the user the authorization_url and ask them to open it and allow access. Then call the tool again.";

/** The result for a client without URL elicitation: JSON, which existing agents read, unless the client would refuse it. */
export function consentText({ address, message }: ConsentPage, { parsesTexts }: Reader): ResultFields {
  if (parsesTexts) return errorText(`${message}\nauthorization_url: ${address}\n${INSTRUCTIONS}`);
  return errorText(JSON.stringify({ authorization_url: address, llm_instructions: INSTRUCTIONS, message }));
}

/** The error for clients of revision 2025-11-25 with URL elicitation. */
export function urlRequired({ address, id, message }: ConsentPage): RpcError {
  const elicitations = [{ mode: "url", elicitationId: id, url: address, message }];
  return new RpcError(URL_ELICITATION_REQUIRED, message, { data: { elicitations } });
}

/** The input request of revision 2026-07-28, which has no id: the client repeats the call when the user is done. */
export function consentRequest({ address, message }: ConsentPage): JsonObject {
  const params = { mode: "url", url: address, message };
  return { [CONSENT_KEY]: { method: "elicitation/create", params } };
}
