// Schemas that several tools share, and how parameters are read.
import { type TSchema, Type } from "typebox";
import { badInput } from "../../src/tools";

/** A field of a result that the platform may leave out. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** How many items a listing returns. */
export interface Limit {
  readonly default: number;
  readonly maximum: number;
}

/** The `limit` parameter of a listing. The tool must have `clamps` for it. */
export const limitParameter = (limit: Limit, what: string) =>
  Type.Optional(
    Type.Integer({
      description:
        `Maximum number of ${what}: 1 to ${limit.maximum}. Default: ${limit.default}. ` +
        "A smaller or larger number is not refused: the nearest allowed one is used.",
      default: limit.default,
    }),
  );

/** The range of `limitParameter`, for `clamps`. */
export const rangeOf = ({ maximum }: Limit) => ({ minimum: 1, maximum });

export const NEXT_CURSOR = Type.Optional(
  Type.String({
    description: "Continues a listing: the `next_cursor` of the previous result, with the same filters.",
  }),
);

/** The paging parameters of a listing. */
export interface PageRequest {
  limit?: number | undefined;
  next_cursor?: string | undefined;
}

/** The effective limit: the default if none is given, the nearest allowed value if it is out of range. */
export function limitOf({ limit }: PageRequest, { default: fallback, maximum }: Limit): number {
  return Math.min(Math.max(limit ?? fallback, 1), maximum);
}

/** The cursor, unchanged; undefined if it is absent or blank. */
export function cursorOf({ next_cursor: cursor }: PageRequest): string | undefined {
  return cursor === undefined || cursor.trim() === "" ? undefined : cursor;
}

/** A required text, trimmed. Throws bad input if it is blank. */
export function required(name: string, value: string): string {
  const text = value.trim();
  if (text === "") throw badInput(`\`${name}\` is empty.`);
  return text;
}

/** A required list of texts, trimmed, without blank ones. Throws bad input if none remain. */
export function requiredList(name: string, values: readonly string[]): string[] {
  const texts = values.map((value) => value.trim()).filter((value) => value !== "");
  if (texts.length === 0) throw badInput(`\`${name}\` is empty.`);
  return texts;
}
