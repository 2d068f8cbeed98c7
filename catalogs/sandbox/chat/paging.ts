// Pages of a list: the limits of each method, cursors of this list only, and page faults.
import { optional, type Arguments } from "./arguments";
import type { JsonRecord } from "./json";
import { PlatformError } from "./platform-error";
import type { PageFault } from "./types";

export interface PageRules<Item> {
  /** Part of the cursor, so that a cursor of another method is refused. */
  readonly method: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly maximum: number;
  /** null: the method requires a limit. */
  readonly default: number | null;
  readonly fault: PageFault | null;
  /** The size of the pages of a listing of several types. */
  readonly mixed?: (limit: number) => number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** `""` at the end. */
  readonly nextCursor: string;
}

/** Throws `limit_required`, `invalid_limit` or `invalid_cursor`. */
export function pageOf<Item>(params: Arguments, rules: PageRules<Item>): Page<Item> {
  const given = limitOf(params, rules);
  const limit = rules.mixed?.(given) ?? given;
  const cursor = optional(params, "cursor");
  const start = cursor === undefined ? 0 : startOf(cursor, rules);
  const { fault } = rules;
  const size = pageSize(limit, fault);
  const items = rules.items.slice(start, start + size);
  if (fault?.kind === "repeated_cursor") return { items, nextCursor: cursor ?? cursorAt(start, rules, "") };
  // An empty page continues where it started. Its cursor must differ from the one that was sent, as on the platform.
  const stamp = size === 0 ? crypto.randomUUID() : "";
  return { items, nextCursor: cursorAt(start + size, rules, stamp) };
}

/** `response_metadata` of a listing. */
export function cursorField(page: { readonly nextCursor: string }): JsonRecord {
  return { response_metadata: { next_cursor: page.nextCursor } };
}

function limitOf<Item>(params: Arguments, rules: PageRules<Item>): number {
  const value = optional(params, "limit");
  if (value === undefined) {
    if (rules.default === null) throw new PlatformError("limit_required");
    return rules.default;
  }
  const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > rules.maximum) throw new PlatformError("invalid_limit");
  return limit;
}

function pageSize(limit: number, fault: PageFault | null): number {
  if (fault?.kind === "empty_page") return 0;
  if (fault?.kind === "short_page") return Math.min(limit, Math.max(0, fault.items));
  return limit;
}

function cursorAt<Item>(index: number, rules: PageRules<Item>, stamp: string): string {
  const item = rules.items[index];
  if (item === undefined) return "";
  const plain = [rules.method, rules.keyOf(item), stamp].join("\n");
  // Always ends with `=`, so that a client that does not encode it fails.
  const padded = Buffer.byteLength(plain) % 3 === 0 ? `${plain}\n` : plain;
  return Buffer.from(padded).toString("base64");
}

function startOf<Item>(cursor: string, rules: PageRules<Item>): number {
  const plain = Buffer.from(cursor, "base64").toString();
  const [method, key] = plain.split("\n");
  const index = rules.items.findIndex((item) => rules.keyOf(item) === key);
  if (Buffer.from(plain).toString("base64") !== cursor || method !== rules.method || index < 0) {
    throw new PlatformError("invalid_cursor");
  }
  return index;
}
