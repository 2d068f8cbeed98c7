// `runtime orgs`: organizations. The first project of an organization creates it.
import type { Organization } from "../../src/identity";
import { listOrganizations } from "../client/projects";
import type { Shape } from "../output";
import { listVerb, showVerb } from "../record-verbs";
import { recordNamed } from "../unknown-name";

const SHAPE: Shape<Organization> = {
  name: ({ id }) => id,
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "created", keep: "whole", value: ({ created_at }) => created_at },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the organizations; with an API key, the one of its project.",
    examples: ["runtime orgs list"],
    find: async (client) => (await listOrganizations(client)).items,
    shape: SHAPE,
    empty: "There are no organizations.",
  }),
  showVerb({
    summary: "Show one organization.",
    examples: ["runtime orgs show default"],
    find: async (client, id) => {
      const { items } = await listOrganizations(client);
      return recordNamed("organization", id, items, "runtime orgs list");
    },
    shape: SHAPE,
  }),
];
