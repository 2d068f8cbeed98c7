// An accounts host: its four addresses.
import type { Answer, Arrival, Reply } from "../server";
import type { Interceptor, Location } from "../types";
import type { Codes } from "./codes";
import { type ConsentSettings, decideConsent, showConsent } from "./consent";
import { OAuthRefusal } from "./refusal";
import { isRefresh, revokeAnswer, type TokenEndpoint, tokenAnswer } from "./token-endpoint";

export interface AccountsParts {
  readonly location: Location;
  readonly now: () => number;
  readonly intercept: Interceptor | undefined;
  readonly codes: Codes;
  /** Read at every request, because they may change. */
  readonly consent: () => ConsentSettings;
  readonly endpoint: () => TokenEndpoint;
  /** Accounts servers by data center. */
  readonly directory: () => Record<Location, string>;
}

export function answerAccounts(parts: AccountsParts, arrival: Arrival): Answer {
  const [path = "", search = ""] = arrival.target.split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  const route = routeOf(path, arrival);
  const call = parts.intercept?.({
    route,
    location: parts.location,
    host: "accounts",
    method: arrival.method,
    target: arrival.target,
    path: path.split("/").slice(1),
    query: [...query],
    headers: arrival.headers,
    body: arrival.body,
    person: null,
    at: parts.now(),
  });
  const instead = call?.before();
  if (instead !== undefined) return instead;
  const { reply, code } = work(parts, route, arrival, query);
  return call?.after(reply, code) ?? reply;
}

function routeOf(path: string, arrival: Arrival): string {
  if (path === "/oauth/v2/auth") return arrival.method === "GET" ? "authorize" : "decide";
  if (path === "/oauth/v2/token") return isRefresh(arrival) ? "refresh" : "token";
  if (path === "/oauth/v2/token/revoke") return "revoke";
  return path === "/oauth/serverinfo" ? "serverinfo" : "unknown";
}

function work(
  parts: AccountsParts,
  route: string,
  arrival: Arrival,
  query: URLSearchParams,
): { reply: Reply; code: string | null } {
  const page = (reply: Reply) => ({ reply, code: null });
  switch (route) {
    case "authorize":
      return page(showConsent(query, parts.consent()));
    case "decide":
      return page(decideConsent(new URLSearchParams(arrival.body), parts.consent(), parts.codes));
    case "serverinfo":
      return page(json(200, { result: "success", locations: parts.directory() }));
    case "token":
    case "refresh":
      return tokenReply(arrival, () => tokenAnswer(parts.endpoint(), arrival));
    case "revoke":
      return tokenReply(arrival, () => revokeAnswer(parts.endpoint(), arrival));
    default:
      return page({ status: 404, headers: { "content-type": "text/plain" }, body: "Not found.\n" });
  }
}

function tokenReply(arrival: Arrival, answer: () => object): { reply: Reply; code: string | null } {
  if (arrival.method !== "POST")
    return { reply: json(405, { error: "invalid_method" }), code: "invalid_method" };
  try {
    return { reply: json(200, answer()), code: null };
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const description = error.description === undefined ? {} : { error_description: error.description };
    return { reply: json(200, { error: error.code, ...description }), code: error.code };
  }
}

function json(status: number, body: object): Reply {
  return {
    status,
    headers: { "content-type": "application/json;charset=UTF-8", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}
