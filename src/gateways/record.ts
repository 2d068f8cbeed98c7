// Converts between rows of gateways, records, requests, and the form that the MCP endpoint uses.
import { isObject, type JsonObject, present, timestamp } from "../base";
import { projectBinding } from "../identity";
import { AUTH_TYPES, type AuthType, USER_TOKEN } from "./compat";
import { isPassed } from "./headers";
import type { GatewayRow } from "./repository";
import type { CreateGateway, GatewayRecord, PatchGateway, ToolFilter } from "./schema";

/** A gateway as it is served. A changed record is a new object, so derived data can be cached by it. */
export interface Gateway {
  id: string;
  projectId: string;
  slug: string;
  name: string;
  description: string | undefined;
  instructions: string | undefined;
  authType: AuthType;
  userSourceId: string | undefined;
  active: boolean;
  /** Qualified names in lower case; undefined: all tools. */
  allowedTools: ReadonlySet<string> | undefined;
  /** Qualified names in lower case of the tools that are listed although clients search; undefined: all tools are listed. */
  pinnedTools: ReadonlySet<string> | undefined;
  /** Groups whose members may use it; undefined: everybody. */
  allowedGroups: readonly string[] | undefined;
  /** Headers of clients that MCP workers get, in lower case. */
  passedHeaders: readonly string[];
  /** Ids of clients that need no consent of people who sign in. */
  trustedClients: readonly string[];
}

export function gatewayOf(row: GatewayRow): Gateway {
  const { allowed_tools: allowed, discovery } = filterOf(row) ?? {};
  return {
    id: row.id,
    projectId: row.project_id,
    slug: row.slug,
    name: row.name,
    description: row.description ?? undefined,
    instructions: row.instructions ?? undefined,
    authType: authTypeOf(row),
    userSourceId: row.user_source_id ?? undefined,
    active: row.status === "active",
    allowedTools: allowed === undefined ? undefined : folded(allowed),
    pinnedTools: discovery?.enabled === true ? folded(discovery.pinned_asset_keys ?? []) : undefined,
    allowedGroups: listOf(row.allowed_groups),
    passedHeaders: passedHeaders(listOf(row.passthrough_headers)),
    trustedClients: listOf(row.consent_skip_client_ids) ?? [],
  };
}

export function gatewayRecord(row: GatewayRow): GatewayRecord {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    ...present({ description: row.description ?? undefined, instructions: row.instructions ?? undefined }),
    auth_type: authTypeOf(row),
    ...present({ user_source_id: row.user_source_id ?? undefined }),
    status: row.status === "active" ? "active" : "inactive",
    ...present({
      allowed_passthrough_headers: listOf(row.passthrough_headers),
      consent_skip_client_ids: listOf(row.consent_skip_client_ids),
      allowed_groups: listOf(row.allowed_groups),
      tool_filter: filterOf(row),
    }),
    binding: projectBinding(row.project_id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

/** The columns that a caller may set. */
export type Fields = Omit<GatewayRow, "id" | "project_id" | "slug" | "created_at" | "updated_at">;

/** The fields of a whole record, with defaults. */
export function fieldsOf(request: CreateGateway): Fields {
  const filter = request.tool_filter;
  return {
    name: request.name,
    description: request.description ?? null,
    instructions: request.instructions ?? null,
    auth_type: request.auth_type ?? USER_TOKEN,
    user_source_id: request.user_source_id ?? null,
    status: request.status ?? "active",
    passthrough_headers: textOf(request.allowed_passthrough_headers),
    consent_skip_client_ids: textOf(request.consent_skip_client_ids),
    allowed_groups: groupsText(request.allowed_groups),
    tool_filter: textOf(filter && knownFilter(filter)),
  };
}

/** The fields after a patch. Lists are replaced; the filter is merged field by field. */
export function patchedFields(row: GatewayRow, patch: PatchGateway): Fields {
  const filter = patch.tool_filter;
  return {
    name: patch.name ?? row.name,
    description: patch.description ?? row.description,
    instructions: patch.instructions ?? row.instructions,
    auth_type: patch.auth_type ?? row.auth_type,
    user_source_id: patch.user_source_id ?? row.user_source_id,
    status: patch.status ?? row.status,
    passthrough_headers: textOf(patch.allowed_passthrough_headers) ?? row.passthrough_headers,
    consent_skip_client_ids: textOf(patch.consent_skip_client_ids) ?? row.consent_skip_client_ids,
    allowed_groups:
      patch.allowed_groups === undefined ? row.allowed_groups : groupsText(patch.allowed_groups),
    tool_filter: filter === undefined ? row.tool_filter : textOf(mergedFilter(filterOf(row) ?? {}, filter)),
  };
}

function mergedFilter(before: ToolFilter, patch: ToolFilter): ToolFilter {
  const discovery = patch.discovery && { ...before.discovery, ...patch.discovery };
  return knownFilter({ ...before, ...patch, ...present({ discovery }) });
}

/** Drops unknown fields: the stored filter is returned to clients. */
function knownFilter({ allowed_tools, discovery }: ToolFilter): ToolFilter {
  const { enabled, allowed_classes, pinned_asset_keys } = discovery ?? {};
  return present({
    allowed_tools: allowed_tools && [...new Set(allowed_tools)],
    discovery: discovery && present({ enabled, allowed_classes, pinned_asset_keys }),
  });
}

function filterOf({ tool_filter: text }: GatewayRow): ToolFilter | undefined {
  const value: unknown = text === null ? undefined : JSON.parse(text);
  // Written by `fieldsOf` and `patchedFields` only.
  return isObject(value) ? (value as JsonObject as ToolFilter) : undefined;
}

function folded(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** A record of an earlier version may have more. */
function passedHeaders(names: readonly string[] = []): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))].filter(isPassed);
}

function listOf(text: string | null): string[] | undefined {
  return text === null ? undefined : JSON.parse(text);
}

/** An empty list lets everybody in, as an absent one. */
function groupsText(groups: readonly string[] = []): string | null {
  return groups.length === 0 ? null : JSON.stringify([...new Set(groups)]);
}

function textOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

// A type that this version does not know is treated as the strictest, user tokens.
function authTypeOf(row: GatewayRow): AuthType {
  return AUTH_TYPES.find((type) => type === row.auth_type) ?? USER_TOKEN;
}
