// A deployment beside a stand-in of a model's server, and chat completions as a client would ask for them.
import { type ModelServer, startModelServer, type Turn } from "../sandbox/models/chat-server";
import { type ApiAnswer, call } from "./api";
import { type Site, type SiteOptions, startSite } from "./site";

export const UPSTREAM_KEY = "key-of-the-upstream-CANARY";

export interface ChatSite extends AsyncDisposable {
  readonly site: Site;
  readonly upstream: ModelServer;
  /** A key that may run. */
  readonly key: string;
  /** Asks for a completion whose answer is JSON; checked against the API description. */
  ask(body: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Asks for one in any form. */
  send(body: object | string, init?: RequestInit): Promise<Response>;
}

export interface ChatSiteOptions extends SiteOptions {
  turn?: Turn;
  strict?: boolean;
  /** More model entries. */
  models?: object[];
}

export async function startChatSite(options: ChatSiteOptions = {}): Promise<ChatSite> {
  const upstream = await startModelServer(options.turn, options.strict);
  const entry = {
    id: "local",
    models: ["test-model", "other-model"],
    openai: { base_url: upstream.url, api_key: UPSTREAM_KEY },
  };
  const site = await startSite({
    ...options,
    environment: {
      RUNTIME_MODELS: JSON.stringify([entry, ...(options.models ?? [])]),
      ...options.environment,
    },
  });
  const key = await site.key("run");
  return {
    site,
    upstream,
    key,
    ask: (body, headers) =>
      call(site.url, {
        method: "POST",
        path: "/v1/chat/completions",
        key,
        body,
        ...(headers === undefined ? {} : { headers }),
      }),
    send: (body, init = {}) =>
      fetch(`${site.url}/v1/chat/completions`, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      }),
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The smallest request. */
export function asking(more: object = {}): object {
  return { model: "test-model", messages: [{ role: "user", content: "Hello?" }], ...more };
}
