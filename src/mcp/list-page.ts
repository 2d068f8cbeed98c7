// Pages of a list. The cursor contains the name of the last listed item, so it stays valid when the list changes.
import { INVALID_PARAMS, RpcError } from "./json-rpc";

const PAGE = 100;

export interface PageOf<T> {
  shown: readonly T[];
  /** Undefined on the last page. */
  cursor: string | undefined;
}

/** The page after a cursor, or the first. Throws `RpcError` for a cursor of another list. */
export function pageOf<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  cursor: string | undefined,
): PageOf<T> {
  const start = cursor === undefined ? 0 : positionAfter(items, nameOf, cursor);
  const shown = items.slice(start, start + PAGE);
  const last = shown.at(-1);
  const more = last !== undefined && start + PAGE < items.length;
  return { shown, cursor: more ? cursorOf(nameOf(last)) : undefined };
}

/** The members of a result with a page: `"tools":[…]`, and `"nextCursor"` if there are more. */
export function pageText(
  member: string,
  texts: readonly (string | undefined)[],
  cursor: string | undefined,
): string {
  const next = cursor === undefined ? "" : `,"nextCursor":${JSON.stringify(cursor)}`;
  return `"${member}":[${texts.join(",")}]${next}`;
}

function cursorOf(name: string): string {
  return Buffer.from(name).toString("base64url");
}

function positionAfter<T>(items: readonly T[], nameOf: (item: T) => string, cursor: string): number {
  const index = items.findIndex((item) => cursorOf(nameOf(item)) === cursor);
  if (index >= 0) return index + 1;
  throw new RpcError(
    INVALID_PARAMS,
    "The cursor does not belong to this list. Request the list from its start.",
  );
}
