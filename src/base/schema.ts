// Schemas of paged lists.
import { type TSchema, Type } from "typebox";
import { DEFAULT_LIMIT } from "./page";

/** Query parameters of a paged list. A limit above the maximum is reduced to it, not refused. */
export const pagingQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, default: DEFAULT_LIMIT, description: "Page size, at most 100." }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Items to skip." })),
};

/** The schema of a page of `item`. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    total_count: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 0 }),
    page_count: Type.Integer({ minimum: 0 }),
  });
}
