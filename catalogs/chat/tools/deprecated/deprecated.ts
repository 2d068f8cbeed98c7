// How a deprecated tool is defined: it narrows another tool's input and hands it on.
import { type TObject, type TSchema, Type } from "typebox";
import { defineTool, type ToolDefinition } from "../../../../src/tools";
import { grantWith, TOOLKIT } from "../../metadata";
import type { Limit } from "../../parameters";

/** All of them were replaced before the first version of this toolkit here. */
const DEPRECATED_SINCE = "2026-11-01";

interface Narrowed<Input extends TObject, Output extends TSchema> extends Pick<
  ToolDefinition<Input, Output>,
  "name" | "description" | "input" | "output" | "singles" | "skipsBlanks" | "run"
> {
  scopes: readonly string[];
}

/** A tool that `replacement` has replaced. It does to the world what that one does. */
export function deprecated<Input extends TObject, Output extends TSchema>(
  { name, metadata }: ToolDefinition,
  { scopes, description, ...tool }: Narrowed<Input, Output>,
): ToolDefinition {
  const replacement = `${TOOLKIT}.${name}`;
  return defineTool({
    ...tool,
    description: `${description} Deprecated: use ${replacement}.`,
    authorization: grantWith(scopes),
    metadata,
    replacement,
    deprecatedSince: DEPRECATED_SINCE,
  });
}

/** These tools publish neither default nor maximum; the replacement's hold all the same. */
export const plainLimit = (limit: Limit) =>
  Type.Optional(
    Type.Integer({ description: `How many at most: ${limit.default} when absent, up to ${limit.maximum}.` }),
  );

/** Of tools that have never had a second page. */
export const IGNORED_CURSOR = Type.Optional(Type.String({ description: "Has no effect." }));

/** What these tools are given instead of the replacement's choice of selectors. */
export const BY_ID = { conversation_id: Type.String({ description: "The id of the conversation." }) };
export const BY_NAME = { channel_name: Type.String({ description: "The name of the channel." }) };
export const BY_USERNAME = { username: Type.String({ description: "The person's username (handle)." }) };
export const BY_USERNAMES = {
  usernames: Type.Array(Type.String(), { description: "The people's usernames (handles)." }),
};
