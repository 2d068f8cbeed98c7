// `runtime projects`: what everything belongs to.
import type { Project } from "../../src/identity";
import { withClient, withDataFolder } from "../client/client";
import { getProject, listProjects, updateProject } from "../client/projects";
import { type Common, given, type Noun, verb } from "../command";
import { EXIT, UsageError } from "../errors";
import type { Io } from "../io";
import { printDeleted, printList, printRecord, type Shape } from "../output";

const AUDIENCE = { flag: "--audience <text>", meaning: "by which user tokens name the project" };

export const projects: Noun = {
  name: "projects",
  summary: "projects: each has its own providers, secrets, keys and grants",
  verbs: [
    verb({
      usage: "list",
      summary: "List the projects; with a key its own only.",
      examples: ["runtime projects list"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one project.",
      examples: ["runtime projects show default"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create <id>",
      summary: "Make a project with its own data key. On the data folder only.",
      examples: ["runtime projects create sales", "runtime projects create sales --name 'Sales' --org acme"],
      flags: [
        { flag: "--name <text>", meaning: "what people see of it (default: the id)" },
        { flag: "--org <id>", meaning: "organization; made when there is none (default: default)" },
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
      summary: "Change name or audience.",
      examples: ["runtime projects update default --name 'Main project'"],
      flags: [{ flag: "--name <text>", meaning: "what people see of it" }, AUDIENCE],
      read: (line) => ({ id: line.word(0), name: line.text("name"), audience: line.text("audience") }),
      run: update,
    }),
    verb({
      usage: "delete <id>",
      summary: "Delete a project with everything in it, for good. On the data folder only.",
      examples: ["runtime projects delete sales --yes"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ id: line.word(0), yes: line.given("yes") }),
      run: remove,
    }),
  ],
};

const SHAPE: Shape<Project> = {
  name: ({ id }) => id,
  optional: ["audience"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "organization", value: ({ org_id }) => org_id },
    { title: "audience", value: ({ audience }) => audience },
    { title: "created", value: ({ created_at }) => created_at },
  ],
};

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    printList(io, common, (await listProjects(client)).items, SHAPE, "There are no projects.");
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    printRecord(io, common, await getProject(client, id), SHAPE);
  });
}

interface ProjectFields {
  id: string;
  name: string | undefined;
  org_id?: string | undefined;
  audience: string | undefined;
}

async function create(io: Io, common: Common, fields: ProjectFields): Promise<void> {
  const { checked } = await import("../../src/base");
  const { ProjectCreateRequest } = await import("../../src/identity/schema");
  const { id, name = id, org_id, audience } = checked(ProjectCreateRequest, given(fields), "request body");
  await withDataFolder(io, common, "projects create", async ({ runtime, principal }) => {
    const project = await runtime.identity.createProject(principal, id, name, org_id, audience);
    printRecord(io, common, project, SHAPE);
    io.note(
      `Commands work in it with --project ${id}. Its first key: runtime keys create NAME --project ${id}`,
    );
  });
}

async function update(io: Io, common: Common, { id, name, audience }: ProjectFields): Promise<void> {
  const patch = given({ name, audience });
  if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change: give --name or --audience.");
  await withClient(io, common, async (client) => {
    printRecord(io, common, await updateProject(client, id, patch), SHAPE);
  });
}

async function remove(
  io: Io,
  common: Common,
  { id, yes }: { id: string; yes: boolean },
): Promise<number | void> {
  if (!yes && !io.interactive)
    throw new UsageError("There is no terminal to ask at. To delete without asking: --yes.");
  return withDataFolder(io, common, "projects delete", async ({ runtime, principal }) => {
    await runtime.identity.projects.get(principal, id);
    const question = `Delete the project ${id} with all its providers, secrets, keys and grants, for good?`;
    if (!yes && !(await io.prompts.confirm(question, false))) {
      printDeleted(io, common, id, false);
      io.note("Nothing was deleted.");
      return EXIT.error;
    }
    await runtime.identity.deleteProject(principal, id);
    printDeleted(io, common, id);
    io.note(`The project ${id} is deleted.`);
    return EXIT.ok;
  });
}
