// The deprecated tools. Each delegates to the tool that replaces it; the execution log names the replacement.
import type { ToolDefinition } from "../../../../src/tools";
import { deprecatedListings } from "./listings";
import { deprecatedMessages } from "./messages";
import { deprecatedMetadata } from "./metadata";
import { deprecatedPeople } from "./people";
import { deprecatedSending } from "./sending";

export const deprecatedTools: readonly ToolDefinition[] = [
  ...deprecatedPeople,
  ...deprecatedSending,
  ...deprecatedMessages,
  ...deprecatedListings,
  ...deprecatedMetadata,
];
