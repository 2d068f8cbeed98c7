// A consent that the user owes, inside MCP: by elicitation where the client can send its user to an address, else as
// text that a model can pass on.
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import type { Authorization, AuthorizationService } from "../authorization";
import type { Tool, Tools } from "../tools";
import type { GatewayUser } from "./access";
import { isObject, type JsonObject } from "../base";
import { RpcError, URL_ELICITATION_REQUIRED } from "./json-rpc";
import { errorText, type ResultFields } from "./result";

/** How this client takes a wish for consent. */
export type ConsentManner =
  /** Revision 2026-07-28: the call answers that it needs input, and is sent again with it. */
  | "input_required"
  /** Revision 2025-11-25: the call is refused with the address, and sent again afterwards. */
  | "url_error"
  | "text";

/** The name of our question among the input requests of a call. */
export const CONSENT_KEY = "authorization";
/** How long a call waits for a consent that its client says is under way. Clients give up after a minute. */
const WAIT_S = 45;

/** A consent that is to be asked for, or text that says why it cannot be. */
export type Owed = { address: string; id: string; message: string } | { text: string };

export class GatewayConsent {
  readonly #tools: Tools;
  readonly #authorization: AuthorizationService;
  readonly #core: Core;

  constructor(core: Core, tools: Tools, authorization: AuthorizationService) {
    this.#core = core;
    this.#tools = tools;
    this.#authorization = authorization;
  }

  /** Starts the consent for a tool. Undefined when nothing is owed any more: the call can be made again. */
  async start({ principal, userId }: GatewayUser, tool: Tool): Promise<Owed | undefined> {
    try {
      const request = { tool_name: tool.qualifiedName, user_id: userId };
      return owedBy(await this.#tools.authorize(principal, request), tool);
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500) return { text: error.message };
      throw error;
    }
  }

  /** What a run says that ended for want of a consent. */
  of(authorization: Authorization, tool: Tool): Owed | undefined {
    return owedBy(authorization, tool);
  }

  /** Waits while the user consents. What went wrong, in words; undefined: the call can be made again. */
  async awaited(
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
      this.#core.log.debug("a consent cannot be waited for", { error });
      return undefined;
    }
  }
}

function owedBy({ url, id, status }: Authorization, { qualifiedName }: Tool): Owed | undefined {
  if (status === "completed") return undefined;
  if (url === undefined || id === undefined)
    return { text: "authorization required, and it cannot be started." };
  return {
    address: url,
    id,
    message: `${qualifiedName} needs your consent: open the page and allow access.`,
  };
}

/** The result for a client that knows no elicitation by address: the shape that existing agents read. */
export function consentText(owed: { address: string; message: string }): ResultFields {
  return errorText(
    JSON.stringify({
      authorization_url: owed.address,
      llm_instructions:
        "Show the user the authorization_url and ask them to open it and allow access. Then call the tool again.",
      message: owed.message,
    }),
  );
}

/** The refusal for clients of revision 2025-11-25 that can send their user to an address. */
export function urlRequired({
  address,
  id,
  message,
}: {
  address: string;
  id: string;
  message: string;
}): RpcError {
  const elicitations = [{ mode: "url", elicitationId: id, url: address, message }];
  return new RpcError(URL_ELICITATION_REQUIRED, message, { data: { elicitations } });
}

/** The same as an input request of revision 2026-07-28. */
export function consentRequest({
  address,
  id,
  message,
}: {
  address: string;
  id: string;
  message: string;
}): JsonObject {
  const params = { mode: "url", elicitationId: id, url: address, message };
  return { [CONSENT_KEY]: { method: "elicitation/create", params } };
}
