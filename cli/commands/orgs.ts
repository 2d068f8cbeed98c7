// `runtime orgs`: organizations. One is made with the first project that names it.
import type { Organization } from "../../src/identity";
import { withClient } from "../client/client";
import { listOrganizations } from "../client/projects";
import { type Common, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printList, printRecord, type Shape } from "../output";

export const orgs: Noun = {
  name: "orgs",
  summary: "organizations: what projects belong to",
  verbs: [
    verb({
      usage: "list",
      summary: "List the organizations; with a key that of its project.",
      examples: ["runtime orgs list"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one organization.",
      examples: ["runtime orgs show default"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
  ],
};

const SHAPE: Shape<Organization> = {
  name: ({ id }) => id,
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "created", value: ({ created_at }) => created_at },
  ],
};

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    printList(io, common, (await listOrganizations(client)).items, SHAPE, "There are no organizations.");
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    const found = (await listOrganizations(client)).items.find((each) => each.id === id);
    const { notFound } = await import("../../src/errors");
    if (found === undefined) throw notFound(`There is no organization "${id}".`);
    printRecord(io, common, found, SHAPE);
  });
}
