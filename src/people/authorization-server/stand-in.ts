// People as the settings know them, until the service of people is there.
import type { Settings } from "../../config";
import type { PeopleWithGroups } from "./admission";

export function peopleOf({ sign_in, "auth.url": url, "auth.client_id": client }: Settings): PeopleWithGroups {
  const method = sign_in ?? (url !== undefined && client !== undefined ? "oidc" : "none");
  return {
    methodOf: async () => method,
    isKnown: async () => true,
    roleOf: async () => "member",
    groupsOf: async () => [],
  };
}
