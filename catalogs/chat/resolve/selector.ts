// The parameters that select a conversation or people, checked before any request.
import { Type } from "typebox";
import { badInput } from "../../../src/tools";
import { TOOLKIT } from "../metadata";
import { requireAddresses } from "./emails";
import { foldUsername } from "./usernames";

/** Where the values of these parameters are found. */
export const CHANNEL_NAME = `The name of the channel, with or without a leading #: \`name\` in the answer of ${TOOLKIT}.ListConversations.`;
export const CONVERSATION_ID = `The id of the conversation: \`id\` in the answer of ${TOOLKIT}.ListConversations.`;
export const USER_ID = `\`id\` in the answer of ${TOOLKIT}.ListUsers`;
export const USERNAME = `\`name\` in the answer of ${TOOLKIT}.ListUsers`;

/** The parameters by which a conversation is selected; spread into a tool's input. */
export const SELECTOR_PARAMETERS = {
  channel_name: Type.Optional(Type.String({ description: CHANNEL_NAME })),
  conversation_id: Type.Optional(
    Type.String({
      description: `${CONVERSATION_ID} Faster than the channel's name. The id of a person means the direct conversation.`,
    }),
  ),
  user_ids: Type.Optional(
    Type.Array(Type.String(), {
      description: `Ids of the people in the conversation: ${USER_ID}. Prefer them over usernames.`,
    }),
  ),
  emails: Type.Optional(
    Type.Array(Type.String(), {
      description: "E-mail addresses of the people in the conversation. Prefer them over usernames.",
    }),
  ),
  usernames: Type.Optional(
    Type.Array(Type.String(), {
      description: `Usernames (handles) of the people in the conversation: ${USERNAME}.`,
    }),
  ),
};

/** The parameters without people; spread into a tool's input. */
export const PLACE_PARAMETERS = {
  conversation_id: Type.Optional(
    Type.String({ description: "The id of the conversation. Faster than the channel's name." }),
  ),
  channel_name: SELECTOR_PARAMETERS.channel_name,
};

export interface PlaceInput {
  channel_name?: string;
  conversation_id?: string;
}

export interface PeopleInput {
  user_ids?: string[];
  emails?: string[];
  usernames?: string[];
}

export interface SelectorInput extends PlaceInput, PeopleInput {}

export interface People {
  userIds: readonly string[];
  /** As written, like the others. */
  usernames: readonly string[];
  emails: readonly string[];
}

export type Place = { kind: "id"; id: string } | { kind: "channel"; name: string };
export type Selector = Place | { kind: "people"; people: People };

const RULE =
  "Give exactly one of: `conversation_id`; `channel_name`; or `user_ids`, `usernames` and `emails` in any combination.";
const PLACE_RULE = "Give exactly one of `conversation_id` and `channel_name`.";

/** The given selector. Blank texts and empty lists count as absent. Throws bad input unless exactly one is given. */
export function selectorOf(input: SelectorInput): Selector {
  const people = peopleOf(input);
  const given: Selector[] = placesIn(input);
  if (people !== undefined) given.push({ kind: "people", people });
  const selector = theOnly(given, RULE);
  if (selector.kind !== "id" || !PERSON_ID.test(selector.id)) return selector;
  return { kind: "people", people: { userIds: [selector.id], usernames: [], emails: [] } };
}

/** Like `selectorOf`, for tools that do not accept people. */
export function placeOf(input: PlaceInput): Place {
  const place = theOnly(placesIn(input), PLACE_RULE);
  if (place.kind === "id" && PERSON_ID.test(place.id)) {
    throw badInput(
      `\`conversation_id\` is the id of a person. Give the id of a conversation, such as C… or D….`,
    );
  }
  return place;
}

/** The given people, each once; undefined if there are none. Throws bad input for an invalid e-mail address. */
export function peopleOf(input: PeopleInput): People | undefined {
  const people = {
    userIds: distinct(input.user_ids, (value) => value),
    usernames: distinct(input.usernames, foldUsername),
    emails: distinct(input.emails, (value) => value.toLowerCase()),
  };
  requireAddresses(input.emails ?? []);
  return Object.values(people).some((values) => values.length > 0) ? people : undefined;
}

/** Like `peopleOf`, for tools that need somebody. Throws bad input if there are none. */
export function requiredPeople(input: PeopleInput): People {
  const people = peopleOf(input);
  if (people === undefined) throw badInput("Give at least one of `user_ids`, `usernames` and `emails`.");
  return people;
}

/** The ids of people. The platform posts to one in place of a conversation's, but does not read there. */
const PERSON_ID = /^[UW][A-Z0-9]{8,}$/;

function placesIn(input: PlaceInput): Place[] {
  const id = input.conversation_id?.trim() ?? "";
  const name = input.channel_name?.trim() ?? "";
  return [
    ...(id === "" ? [] : [{ kind: "id", id } as const]),
    ...(name === "" ? [] : [{ kind: "channel", name } as const]),
  ];
}

function theOnly<Given extends Selector>(given: readonly Given[], rule: string): Given {
  const [only, ...others] = given;
  if (only === undefined) throw badInput(`${rule} None was given.`);
  if (others.length > 0) {
    throw badInput(
      `${rule} ${given.length} were given. Leave out all but one: ${given.map(nameOf).join(" or ")}.`,
    );
  }
  return only;
}

function nameOf(selector: Selector): string {
  if (selector.kind === "people") return "those of people";
  return selector.kind === "id" ? "`conversation_id`" : "`channel_name`";
}

/** Each once, as it was written first, for errors. `fold`: what makes two of them equal. */
function distinct(values: readonly string[] = [], fold: (value: string) => string): string[] {
  const byFolded = new Map<string, string>();
  for (const value of values.map((each) => each.trim())) {
    const folded = fold(value);
    if (folded !== "" && !byFolded.has(folded)) byFolded.set(folded, value);
  }
  return [...byFolded.values()];
}
