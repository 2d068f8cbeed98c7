// Content of MCP servers in values that everybody gets: `{ content: […] }`.
import { type TSchema, Type } from "typebox";
import { compileOnce, isObject, type JsonObject } from "../../base";

const text = Type.String();
const binary = Type.Object({ data: text, mimeType: text });

/** What clients need of each type. */
const TYPES: ReadonlyMap<unknown, TSchema> = new Map<unknown, TSchema>([
  ["text", Type.Object({ text })],
  ["image", binary],
  ["audio", binary],
  ["resource_link", Type.Object({ uri: text, name: text })],
  [
    "resource",
    Type.Object({
      resource: Type.Union([Type.Object({ uri: text, text }), Type.Object({ uri: text, blob: text })]),
    }),
  ],
]);

/** The content, if that is what a value has. A part that clients cannot read becomes text. */
export function contentIn(value: unknown): JsonObject[] | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1 || !Array.isArray(value["content"]))
    return undefined;
  const { content } = value as { content: unknown[] };
  return content.every(isObject) ? content.map((item) => readable(item as JsonObject)) : undefined;
}

/** A part that clients can read: the same one, or a text with its JSON. */
export function readable(item: JsonObject): JsonObject {
  const schema = TYPES.get(item["type"]);
  const fits = schema !== undefined && compileOnce(schema).Check(item);
  return fits ? item : { type: "text", text: JSON.stringify(item) };
}
