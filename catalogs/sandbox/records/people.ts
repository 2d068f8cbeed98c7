// People who can sign in. An account belongs to one data center.
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

/** Throws for an unknown name, which is a mistake in the test. */
export function personNamed(name: string): Person {
  const person = PEOPLE.find((candidate) => candidate.name === name);
  if (person === undefined) throw new Error(`The records sandbox has no person ${name}.`);
  return person;
}
