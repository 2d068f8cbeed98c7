// Refuses selectors for what the schema cannot say, before the user is asked for a consent.
import { channelName } from "./channel";
import { requireFewIds } from "./direct";
import {
  type PeopleInput,
  type PlaceInput,
  placeOf,
  requiredPeople,
  type Selector,
  type SelectorInput,
  selectorOf,
} from "./selector";

/** Throws bad input unless exactly one conversation, channel or group of people is given. */
export function judgeSelector(input: SelectorInput): void {
  judged(selectorOf(input));
}

/** The same, for tools that do not accept people. */
export function judgePlace(input: PlaceInput): void {
  judged(placeOf(input));
}

export function judgePeople(input: PeopleInput): void {
  requiredPeople(input);
}

function judged(selector: Selector): void {
  if (selector.kind === "channel") channelName(selector.name);
  if (selector.kind === "people") requireFewIds(selector.people);
}
