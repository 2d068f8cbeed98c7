// The deprecated tools. Each hands its work to the tool that replaces it; the log of an execution names that one.
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
