// Who can sign in. An account lives in one data center.
import type { Location } from "./types";

export interface Person {
  readonly name: string;
  readonly location: Location;
}

/** Alice and carla own the accounts `acme` and `europa`; bob works for alice and sees one application less. */
export const PEOPLE: readonly Person[] = [
  { name: "alice", location: "us" },
  { name: "bob", location: "us" },
  { name: "carla", location: "eu" },
];

/** Throws for a name that nobody has: a mistake in the test. */
export function personNamed(name: string): Person {
  const person = PEOPLE.find((candidate) => candidate.name === name);
  if (person === undefined) throw new Error(`Nobody in the records sandbox is called ${name}.`);
  return person;
}
