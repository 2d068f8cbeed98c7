// The types of conversations, by the names that callers use and by those of the platform.
import { Type } from "typebox";

const PLATFORM_TYPE = {
  public_channel: "public_channel",
  private_channel: "private_channel",
  multi_person_direct_message: "mpim",
  direct_message: "im",
  // The names that the tools return, and that the platform's documentation uses.
  mpim: "mpim",
  im: "im",
} as const;

/** The platform's names. */
export type PlatformType = (typeof PLATFORM_TYPE)[keyof typeof PLATFORM_TYPE];

export const ALL_TYPES: readonly PlatformType[] = [...new Set(Object.values(PLATFORM_TYPE))];

/** The `conversation_types` parameter. The tool must list it in `singles` and `skipsBlanks`. */
export const CONVERSATION_TYPES = Type.Optional(
  Type.Array(
    Type.Enum(
      ["public_channel", "private_channel", "multi_person_direct_message", "direct_message", "mpim", "im"],
      {
        type: "string",
      },
    ),
    {
      description:
        "Types of conversations to list, one or several. Default: all. " +
        "`mpim` and `im` are the same as `multi_person_direct_message` and `direct_message`.",
    },
  ),
);

/** The platform's names of these types, each once; undefined if none are given, which means all. */
export function platformTypes(
  given: readonly (keyof typeof PLATFORM_TYPE)[] = [],
): readonly PlatformType[] | undefined {
  if (given.length === 0) return undefined;
  return [...new Set(given.map((type) => PLATFORM_TYPE[type]))];
}
