// The types of conversations as callers name them, and as the platform does.
import { Type } from "typebox";

const PLATFORM_TYPE = {
  public_channel: "public_channel",
  private_channel: "private_channel",
  multi_person_direct_message: "mpim",
  direct_message: "im",
  // What the tools report, and what the platform's own pages say.
  mpim: "mpim",
  im: "im",
} as const;

/** The platform's names. */
export type PlatformType = (typeof PLATFORM_TYPE)[keyof typeof PLATFORM_TYPE];

export const ALL_TYPES: readonly PlatformType[] = [...new Set(Object.values(PLATFORM_TYPE))];

/** The `conversation_types` parameter. The tool must name it in `singles` and `skipsBlanks`. */
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
        "Types of conversations to list, one or several; all when absent. " +
        "`mpim` and `im` are other words for `multi_person_direct_message` and `direct_message`.",
    },
  ),
);

/** The platform's names of these types, each once; undefined when none were given, which means all. */
export function platformTypes(
  given: readonly (keyof typeof PLATFORM_TYPE)[] = [],
): readonly PlatformType[] | undefined {
  if (given.length === 0) return undefined;
  return [...new Set(given.map((type) => PLATFORM_TYPE[type]))];
}
