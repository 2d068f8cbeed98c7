// Whose grants there are in the matrix, and by what names the platforms know them.

/** One cell of the matrix: a user of a project with one provider. */
export interface Owner {
  readonly project: string;
  readonly user: string;
  readonly provider: ProviderId;
  /** What tokens, messages and spreadsheets of this owner are called. */
  readonly name: string;
}

export type ProviderId = "slack" | "google";

export const PROJECTS = ["default", "second"] as const;
export const USERS = ["alice", "bob", "carol"] as const;
export const PROVIDERS: readonly ProviderId[] = ["slack", "google"];

/** Two projects, three users, two providers. */
export const OWNERS: readonly Owner[] = PROJECTS.flatMap((project) =>
  USERS.flatMap((user) => PROVIDERS.map((provider) => ownerOf(project, user, provider))),
);

/** Names that no consent was ever given for: a stranger, and a user in other letters. */
export const STRANGERS: readonly Owner[] = PROJECTS.flatMap((project) =>
  ["mallory", "Alice", "bob "].flatMap((user) =>
    PROVIDERS.map((provider) => ownerOf(project, user, provider)),
  ),
);

/** A client of its own for every project and provider. */
export function clientOf({ project, provider }: Pick<Owner, "project" | "provider">): string {
  return `client-of-${project}-${provider}`;
}

function ownerOf(project: string, user: string, provider: ProviderId): Owner {
  return { project, user, provider, name: `${project}-${user.replace(" ", "_")}-${provider}` };
}
