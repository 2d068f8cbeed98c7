// `runtime projects`: projects, to which all other records belong.
import type { Project } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import { withClient, withDataFolder } from "../client/client";
import { findProject, listProjects, updateProject } from "../client/projects";
import { type Common, defined, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import {
  checkConfirmable,
  confirmationIn,
  deleteConfirmed,
  DELETING,
  listVerb,
  showVerb,
} from "../record-verbs";

const AUDIENCE = { flag: "--audience <text>", meaning: "audience by which user tokens select the project" };

const METHODS = ["passkey", "oidc", "proxy", "none", "default"] as const;
const SIGN_IN = {
  flag: "--sign-in <method>",
  meaning: `how people sign in: ${METHODS.join(", ")}; with default, as the setting sign_in says`,
};

const SHAPE: Shape<Project> = {
  name: ({ id }) => id,
  optional: ["audience", "sign_in"],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "organization", value: ({ org_id }) => org_id },
    { title: "audience", value: ({ audience }) => audience },
    { title: "sign-in", value: ({ sign_in }) => sign_in },
    { title: "created", keep: "whole", value: ({ created_at }) => created_at },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the projects; with an API key, only its own.",
    examples: ["runtime projects list"],
    find: async (client) => (await listProjects(client)).items,
    shape: SHAPE,
    empty: "There are no projects.",
  }),
  showVerb({
    summary: "Show one project.",
    examples: ["runtime projects show default"],
    find: findProject,
    shape: SHAPE,
  }),
  verb({
    usage: "create <id>",
    summary: "Create a project with its own data key. On the data folder only.",
    examples: ["runtime projects create sales", "runtime projects create sales --name 'Sales' --org acme"],
    flags: [
      { flag: "--name <text>", meaning: "display name (default: the id)" },
      { flag: "--org <id>", meaning: "organization; created if it does not exist (default: default)" },
      AUDIENCE,
    ],
    read: (line) => ({
      id: line.word(0),
      name: line.text("name"),
      org_id: line.text("org"),
      audience: line.text("audience"),
    }),
    run: create,
  }),
  verb({
    usage: "update <id>",
    summary: "Change name, audience, or how people sign in.",
    examples: [
      "runtime projects update default --name 'Main project'",
      "runtime projects update default --sign-in default",
    ],
    flags: [{ flag: "--name <text>", meaning: "display name" }, AUDIENCE, SIGN_IN],
    read: (line) => ({
      id: line.word(0),
      patch: defined({
        name: line.text("name"),
        audience: line.text("audience"),
        sign_in: line.choice("sign-in", METHODS),
      }),
    }),
    run: async (io, common, { id, patch }) => {
      if (Object.keys(patch).length === 0)
        throw new UsageError("Nothing to change. Use --name, --audience or --sign-in.");
      await withClient(io, common, async (client) =>
        printRecord(
          io,
          common,
          await updateProject(client, (await findProject(client, id)).id, patch),
          SHAPE,
        ),
      );
    },
  }),
  verb({
    usage: "delete <id>",
    summary: "Delete a project and all its records permanently. On the data folder only.",
    examples: ["runtime projects delete sales"],
    flags: DELETING,
    read: (line) => ({ id: line.word(0), ...confirmationIn(line) }),
    run: async (io, common, { id, ...given }) => {
      checkConfirmable(io, given.yes || given.force);
      return withDataFolder(io, common, "projects delete", async ({ runtime, principal }) => {
        await runtime.identity.projects.get(principal, id);
        const question = `Delete the project ${id} with all its providers, secrets, keys and grants permanently?`;
        const done = `The project ${id} is deleted.`;
        const inUse = await contentOf(runtime, id);
        return deleteConfirmed({ io, common }, given, { id, name: id, question, done, inUse }, () =>
          runtime.identity.deleteProject(principal, id),
        );
      });
    },
  }),
];

/** Why a project needs more than a yes; undefined for an empty one. */
async function contentOf({ identity, providers, connections }: Runtime, id: string) {
  const principal = await identity.operator(id);
  const [keys, { total_count: configured }, { total_count: granted }] = await Promise.all([
    identity.listKeys(principal),
    providers.list(principal),
    connections.list(principal, { limit: 1 }),
  ]);
  const counts = [
    [keys.total_count, "API key"],
    [configured, "auth provider"],
    [granted, "connection"],
  ] as const;
  const present = counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? "" : "s"}`);
  return present.length === 0 ? undefined : `The project ${id} is in use: it has ${present.join(", ")}.`;
}

async function create(
  io: Io,
  common: Common,
  fields: { id: string; name: string | undefined; org_id: string | undefined; audience: string | undefined },
): Promise<void> {
  const { checked } = await import("../../src/base");
  const { ProjectCreateRequest } = await import("../../src/identity/schema");
  const { id, name = id, org_id, audience } = checked(ProjectCreateRequest, defined(fields), "request body");
  await withDataFolder(io, common, "projects create", async ({ runtime, principal }) => {
    const project = await runtime.identity.createProject(principal, id, name, org_id, audience);
    printRecord(io, common, project, SHAPE);
    io.note(`Use it with --project ${id}. To create its first key: runtime keys create NAME --project ${id}`);
  });
}
