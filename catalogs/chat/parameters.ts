// Schemas that several tools share, and how parameters are read.
import { type TSchema, Type } from "typebox";
import { badInput } from "../../src/tools";

/** A field of a result that the platform may leave out. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** How many items a listing gives back. */
export interface Limit {
  readonly default: number;
  readonly maximum: number;
}

/** The `limit` parameter of a listing. The tool must name it in `clamps`. */
export const limitParameter = (limit: Limit, what: string) =>
  Type.Optional(
    Type.Integer({
      description: `How many ${what} at most: 1 to ${limit.maximum}, ${limit.default} when absent.`,
      default: limit.default,
      minimum: 1,
      maximum: limit.maximum,
    }),
  );

export const NEXT_CURSOR = Type.Optional(
  Type.String({
    description: "Continues a listing: the `next_cursor` of its last part, with the same filters.",
  }),
);

/** What a caller asks of a listing. */
export interface PageRequest {
  limit?: number | undefined;
  next_cursor?: string | undefined;
}

/** The limit that counts: the default when none was given, the nearest allowed one when it is out of range. */
export function limitOf({ limit }: PageRequest, { default: usual, maximum }: Limit): number {
  return Math.min(Math.max(limit ?? usual, 1), maximum);
}

/** The cursor as it came; undefined when it is absent or blank. */
export function cursorOf({ next_cursor: cursor }: PageRequest): string | undefined {
  return cursor === undefined || cursor.trim() === "" ? undefined : cursor;
}

/** A required text without the blanks around it. Throws bad input when nothing is left. */
export function required(name: string, value: string): string {
  const text = value.trim();
  if (text === "") throw badInput(`\`${name}\` is empty.`);
  return text;
}

/** The same for a list. */
export function requiredList(name: string, values: readonly string[]): string[] {
  const texts = values.map((value) => value.trim()).filter((value) => value !== "");
  if (texts.length === 0) throw badInput(`\`${name}\` is empty.`);
  return texts;
}
