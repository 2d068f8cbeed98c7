// Projects, organizations and the caller, on the data folder and over HTTP. Projects are created and deleted on the data
// folder only.
import type { Page } from "../../src/base";
import type { Organization, Project, ProjectPatch } from "../../src/identity";
import type { Status } from "../../src/status";
import { recordNamed } from "../unknown-name";
import { type Client, operation } from "./client";
import { path } from "./http";

const PROJECTS = "/v1/admin/projects";

export const listProjects = operation<[], Page<Project>>({
  direct: ({ runtime, principal }) => runtime.identity.projects.list(principal),
  remote: (server) => server.get(PROJECTS),
});

export const getProject = operation<[id: string], Project>({
  direct: ({ runtime, principal }, id) => runtime.identity.projects.get(principal, id),
  remote: (server, id) => server.get(path(`${PROJECTS}/`, id)),
});

/** By its id or its name. Throws `not_found`. */
export async function findProject(client: Client, given: string): Promise<Project> {
  return recordNamed("project", given, (await listProjects(client)).items, "runtime projects list");
}

export const updateProject = operation<[id: string, patch: ProjectPatch], Project>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { ProjectPatchRequest } = await import("../../src/identity/schema");
    return runtime.identity.projects.update(principal, id, checked(ProjectPatchRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PROJECTS}/`, id), patch),
});

export const listOrganizations = operation<[], Page<Organization>>({
  direct: ({ runtime, principal }) => runtime.identity.projects.organizations(principal),
  remote: (server) => server.get("/v1/admin/organizations"),
});

export const getStatus = operation<[], Status>({
  direct: async ({ served, principal }) => {
    const [{ statusOf }, { stateOfServer }] = await Promise.all([
      import("../../src/status"),
      import("../server-state"),
    ]);
    const runtime = await served();
    const status = await statusOf(runtime, principal);
    const server = await stateOfServer(runtime);
    return server === undefined ? status : { ...status, server };
  },
  remote: (server) => server.get("/v1/admin/status"),
});
