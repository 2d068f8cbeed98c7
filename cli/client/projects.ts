// Projects, organizations and the caller, on the data folder and over HTTP. Making and deleting projects is the data
// folder's alone.
import { version } from "../../package.json";
import type { Page } from "../../src/base";
import type { Caller, Organization, Project, ProjectPatch } from "../../src/identity";
import type { Status } from "../../src/status";
import { capability } from "./client";
import { path } from "./http";

const PROJECTS = "/v1/admin/projects";

export const listProjects = capability<[], Page<Project>>({
  direct: ({ runtime, principal }) => runtime.identity.projects.list(principal),
  remote: (server) => server.get(PROJECTS),
});

export const getProject = capability<[id: string], Project>({
  direct: ({ runtime, principal }, id) => runtime.identity.projects.get(principal, id),
  remote: (server, id) => server.get(path(`${PROJECTS}/`, id)),
});

export const updateProject = capability<[id: string, patch: ProjectPatch], Project>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { ProjectPatchRequest } = await import("../../src/identity/schema");
    return runtime.identity.projects.update(principal, id, checked(ProjectPatchRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PROJECTS}/`, id), patch),
});

export const listOrganizations = capability<[], Page<Organization>>({
  direct: ({ runtime, principal }) => runtime.identity.projects.organizations(principal),
  remote: (server) => server.get("/v1/admin/organizations"),
});

export const getCaller = capability<[], Caller>({
  direct: ({ runtime, principal }) => runtime.identity.projects.caller(principal),
  remote: (server) => server.get("/v1/caller"),
});

export const getStatus = capability<[], Status>({
  direct: async ({ runtime, principal, server }) => {
    const { statusOf } = await import("../../src/status");
    await server();
    return statusOf(runtime, principal, version);
  },
  remote: (server) => server.get("/v1/admin/status"),
});
