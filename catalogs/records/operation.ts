// A row of the tables in `operations/`: everything in which the tools differ.
import type { JsonObject, ToolMetadata } from "../../src/tools";
import type { RequestBody } from "./body/schemas";
import type { Legend } from "./legend";
import { type Role, roleOf } from "./roles";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Query parameters of the platform. */
export type QueryName = "from" | "limit" | "criteria" | "privatelink" | "process_until_limit";

export interface Operation {
  name: string;
  description: string;
  /** Method and address. Each placeholder is a parameter of the tool and fills one segment. */
  request: `${Method} /creator/v2/${string}`;
  /** Query parameter of the platform → parameter of the tool. */
  query?: Partial<Readonly<Record<QueryName, string>>>;
  /** Without its prefix. `none`: a private link is the credential and no token is sent. */
  scope: string | "none";
  kind: ToolMetadata;
  /** The request body; tools with one have a mode. */
  body?: RequestBody;
  /** The list that is returned empty if nothing matches (code 3100). Without it that code is an error. */
  emptyWithoutMatch?: "data" | "result";
  /** What the caller does with an answer that cannot be used alone; undefined if it can. */
  instructions?: (answer: JsonObject) => string | undefined;
  /** Numbers in the answer that get words. */
  legend?: Legend;
  /** Fields of a successful answer in addition to `code`: name → description. */
  answer: Readonly<Record<string, string>>;
}

/** One request of an operation. */
export interface Call {
  operation: Operation;
  /** Path and query. */
  address: string;
  /** JSON text, as the caller wrote it. */
  body: string | undefined;
  /** A key in the query, which must not appear in any message. */
  privateLink: string | undefined;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** Parameters of the tool in the address, in order. */
export function pathParameters({ request }: Operation): string[] {
  return [...request.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");
}

/** The parameter with this role in the address, if there is one. */
export function parameterWithRole(operation: Operation, role: Role): string | undefined {
  return pathParameters(operation).find((name) => roleOf(name) === role);
}

/** The address with each placeholder replaced. */
export function fillAddress({ request }: Operation, value: (parameter: string) => string): string {
  const address = request.slice(request.indexOf(" ") + 1);
  return address.replaceAll(PLACEHOLDER, (_whole, parameter: string) => value(parameter));
}

export function methodOf({ request }: Operation): Method {
  const method = (["GET", "POST", "PATCH", "DELETE"] as const).find((name) => request.startsWith(name));
  return method ?? "GET";
}

/** The required scopes. */
export function scopesOf({ scope }: Operation): string[] {
  return scope === "none" ? [] : [`ZohoCreator.${scope}`];
}

/** The parameter with the private link, if there is one. */
export function privateLinkParameter({ query }: Operation): string | undefined {
  return query?.privatelink;
}
