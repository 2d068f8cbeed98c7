// An API host: checks address, headers, token, scope and query in this order, and runs the call.
import type { TokenStore } from "../accounts/tokens";
import { type Writable, writeExact } from "../exact-json";
import type { Person } from "../people";
import { fullScope } from "../scopes";
import type { Answer, Arrival, Reply } from "../server";
import type { Interceptor, Location } from "../types";
import type { World } from "../world/world";
import { bodyOf, optionalBody } from "./body";
import type { Jobs } from "./jobs";
import { Query } from "./query";
import { badAddress, Refusal } from "./refusal";
import { pathOf, type Route, ROUTES } from "./routes";
import { looselyDecoded, type Target, targetOf } from "./target";

export interface ApiParts {
  readonly location: Location;
  readonly now: () => number;
  readonly intercept: Interceptor | undefined;
  readonly tokens: TokenStore;
  readonly world: World;
  readonly jobs: Jobs;
}

/** The route of a request, or its refusal. */
type Found = { route: Route; path: Record<string, string>; target: Target } | { refusal: Refusal };

export function answerApi(parts: ApiParts, arrival: Arrival): Answer {
  const found = find(arrival);
  const route = "route" in found ? found.route.name : "unknown";
  const { segments, query } = looselyDecoded(arrival.target);
  const call = parts.intercept?.({
    route,
    location: parts.location,
    host: "api",
    method: arrival.method,
    target: arrival.target,
    path: segments,
    query,
    headers: arrival.headers,
    body: arrival.body,
    person: parts.tokens.known(tokenIn(arrival))?.person.name ?? null,
    at: parts.now(),
  });
  const instead = call?.before();
  if (instead !== undefined) return instead;
  const { reply, code } = work(parts, arrival, found);
  return call?.after(reply, code) ?? reply;
}

function find({ method, target: raw }: Arrival): Found {
  try {
    const target = targetOf(raw);
    const fitting = ROUTES.flatMap((route) => {
      const path = pathOf(route, target);
      return path === undefined ? [] : [{ route, path, target }];
    });
    if (fitting.length === 0) throw badAddress();
    const found = fitting.find(({ route }) => route.method === method);
    if (found === undefined) throw new Refusal(405, 1020, "This method is not valid here.");
    return found;
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

function work(parts: ApiParts, arrival: Arrival, found: Found): { reply: Reply; code: number } {
  try {
    if ("refusal" in found) throw found.refusal;
    const { route, path, target } = found;
    checkHeaders(arrival);
    const person = route.scope === null ? undefined : authorized(parts, arrival, route.scope);
    const query = new Query(target.query, route.query);
    const body = route.body === "needed" ? bodyOf(arrival) : optionalBody(arrival);
    const { world, jobs } = parts;
    const answer = { code: 3000, ...route.run({ world, jobs, person, path, query, body }) };
    return { reply: json(200, answer), code: Number(answer.code) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, textIn, message } = error;
    return { reply: json(status, { code, [textIn]: message }), code };
  }
}

function checkHeaders({ headers }: Arrival): void {
  if (headers["accept"] !== "application/json") throw new Refusal(400, 9210, "Accept is not acceptable.");
  if ("environment" in headers || "demo_user_name" in headers) {
    throw new Refusal(404, 2930, "This version does not have this route.");
  }
}

/** One code for a missing, an unknown and an expired token, another for a missing scope. */
function authorized(parts: ApiParts, arrival: Arrival, scope: string): Person {
  const token = parts.tokens.live(tokenIn(arrival), parts.location);
  if (token === undefined) throw new Refusal(401, 1030, "The token is not valid.", "description");
  if (!token.scopes.includes(fullScope(scope))) {
    throw new Refusal(401, 2945, "The token lacks a scope.", "description");
  }
  return token.person;
}

/** Accepts only the documented form, not `Bearer` or the query. */
function tokenIn({ headers }: Arrival): string | undefined {
  return /^Zoho-oauthtoken (\S+)$/.exec(headers["authorization"] ?? "")?.[1];
}

function json(status: number, body: { [key: string]: Writable }): Reply {
  return {
    status,
    headers: { "content-type": "application/json;charset=UTF-8" },
    body: writeExact(body),
  };
}
