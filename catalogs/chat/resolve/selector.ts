// The one-of rule of the tools that address a conversation. It is checked before anything is sent.
import { Type } from "typebox";
import { badInput } from "../../../src/tools";
import { requireAddresses } from "./emails";
import { foldUsername } from "./usernames";

/** The parameters by which a conversation is selected; spread into a tool's input. */
export const SELECTOR_PARAMETERS = {
  channel_name: Type.Optional(
    Type.String({ description: "The name of the channel, with or without a leading #." }),
  ),
  conversation_id: Type.Optional(
    Type.String({ description: "The id of the conversation. Fastest: prefer it over the channel's name." }),
  ),
  user_ids: Type.Optional(
    Type.Array(Type.String(), {
      description: "Ids of the people in the conversation. Prefer them over usernames.",
    }),
  ),
  emails: Type.Optional(
    Type.Array(Type.String(), {
      description: "E-mail addresses of the people in the conversation. Prefer them over usernames.",
    }),
  ),
  usernames: Type.Optional(
    Type.Array(Type.String(), { description: "Usernames (handles) of the people in the conversation." }),
  ),
};

export interface SelectorInput {
  channel_name?: string;
  conversation_id?: string;
  user_ids?: string[];
  emails?: string[];
  usernames?: string[];
}

export interface People {
  userIds: readonly string[];
  /** Folded as handles are compared. */
  usernames: readonly string[];
  emails: readonly string[];
}

export type Selector =
  { kind: "id"; id: string } | { kind: "channel"; name: string } | { kind: "people"; people: People };

const RULE =
  "Give exactly one of: `conversation_id`; `channel_name`; or `user_ids`, `usernames` and `emails` in any combination.";

/** The one selector that was given. Blank texts and empty lists count as absent. Throws bad input. */
export function selectorOf(input: SelectorInput): Selector {
  const id = input.conversation_id?.trim() ?? "";
  const name = input.channel_name?.trim() ?? "";
  const people = {
    userIds: distinct(input.user_ids, (value) => value),
    usernames: distinct(input.usernames, foldUsername),
    emails: distinct(input.emails, (value) => value.toLowerCase()),
  };
  const given: Selector[] = [];
  if (id !== "") given.push({ kind: "id", id });
  if (name !== "") given.push({ kind: "channel", name });
  if (Object.values(people).some((values) => values.length > 0)) given.push({ kind: "people", people });
  const [only, ...others] = given;
  if (only === undefined) throw badInput(`${RULE} None was given.`);
  if (others.length > 0) throw badInput(`${RULE} ${given.length} were given.`);
  requireAddresses(people.emails);
  return only;
}

function distinct(values: readonly string[] = [], fold: (value: string) => string): string[] {
  return [...new Set(values.map((value) => fold(value.trim())).filter((value) => value !== ""))];
}
