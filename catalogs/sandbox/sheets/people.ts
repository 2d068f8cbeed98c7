// People who can sign in at the stand-in.

export interface Person {
  /** The name on the consent page and in the helpers. */
  readonly name: string;
  /** `sub`: digits, longer than a number can hold. */
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  /** Other profile fields; carol has none. */
  readonly profile: Readonly<Record<string, string>>;
  /** Bytes; null for unlimited storage. */
  readonly storageLimit: number | null;
  /** The title of a new first sheet in the person's language. */
  readonly firstSheet: string;
  /** The locale of the person's new files. */
  readonly locale: string;
}

export interface People {
  readonly alice: Person;
  /** Works in the organization corp.example, in French, with unlimited storage. */
  readonly bob: Person;
  /** Has a name and an address and nothing else. */
  readonly carol: Person;
}

export const PEOPLE: People = {
  alice: {
    name: "alice",
    id: "100000000000000000017",
    email: "alice@mail.example",
    displayName: "Alice Example",
    profile: {
      given_name: "Alice",
      family_name: "Example",
      picture: "https://pictures.example/alice.png",
    },
    storageLimit: 16_106_127_360,
    firstSheet: "Sheet1",
    locale: "en_US",
  },
  bob: {
    name: "bob",
    id: "100000000000000000028",
    email: "bob@corp.example",
    displayName: "Bob Dupont",
    profile: {
      given_name: "Bob",
      family_name: "Dupont",
      picture: "https://pictures.example/bob.png",
      hd: "corp.example",
    },
    storageLimit: null,
    firstSheet: "Feuille 1",
    locale: "fr_FR",
  },
  carol: {
    name: "carol",
    id: "100000000000000000039",
    email: "carol@mail.example",
    displayName: "Carol",
    profile: {},
    storageLimit: 16_106_127_360,
    firstSheet: "Sheet1",
    locale: "en_US",
  },
};

/** Throws for an unknown name. */
export function personNamed(name: string): Person {
  const person = Object.values(PEOPLE).find((one: Person) => one.name === name);
  if (person === undefined) throw new Error(`The stand-in has no person ${name}.`);
  return person;
}
