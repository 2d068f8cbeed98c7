// Defines deprecated tools: each narrows the input of the tool that replaces it.
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { defineTool, type ToolContext, type ToolDefinition } from "../../../../src/tools";
import { grantWith, TOOLKIT } from "../../metadata";
import type { Limit } from "../../parameters";
import { CHANNEL_NAME, CONVERSATION_ID, USERNAME } from "../../resolve/selector";
import { withNames } from "./names";

/** All of them were replaced before the first version of this toolkit. */
const DEPRECATED_SINCE = "2026-11-01";

interface Narrowed<Input extends TObject, Output extends TSchema, Replaced extends object> extends Pick<
  ToolDefinition<Input, Output>,
  "name" | "description" | "input" | "output" | "singles" | "skipsBlanks"
> {
  scopes: readonly string[];
  /** Parameters of the replacement that have other names here, for errors. */
  names?: Readonly<Record<string, string>>;
  /** The input with which the replacement does the same. */
  to(input: Static<Input>): Replaced;
  run(input: Replaced, context: ToolContext): Promise<Static<Output>>;
}

/** A tool that another tool replaces. It has the metadata of that tool. */
export function deprecated<Input extends TObject, Output extends TSchema, Replaced extends object>(
  { name, metadata, judge }: ToolDefinition,
  { scopes, description, names, to, run, ...tool }: Narrowed<Input, Output, Replaced>,
): ToolDefinition {
  const replacement = `${TOOLKIT}.${name}`;
  return defineTool({
    ...tool,
    description: `${description} Deprecated: use ${replacement}.`,
    authorization: grantWith(scopes),
    metadata,
    replacement,
    asReplacement: to,
    judge: (input) => withNames(names, async () => judge?.(to(input) as never)),
    run: (input, context) => withNames(names, () => run(to(input), context)),
    deprecatedSince: DEPRECATED_SINCE,
  });
}

/** These tools publish neither default nor maximum, but those of the replacement apply. */
export const plainLimit = (limit: Limit) =>
  Type.Optional(
    Type.Integer({ description: `Maximum number, up to ${limit.maximum}. Default: ${limit.default}.` }),
  );

/** For tools that have never had a second page. */
export const IGNORED_CURSOR = Type.Optional(Type.String({ description: "Has no effect." }));

/** The selectors of these tools. The replacement takes any of them. */
export const BY_ID = { conversation_id: Type.String({ description: CONVERSATION_ID }) };
export const BY_NAME = { channel_name: Type.String({ description: CHANNEL_NAME }) };
export const BY_USERNAME = {
  username: Type.String({ description: `The person's username (handle): ${USERNAME}.` }),
};
export const BY_USERNAMES = {
  usernames: Type.Array(Type.String(), { description: `The people's usernames (handles): ${USERNAME}.` }),
};
