// Workloads of the project, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { Workload } from "../../src/identity";
import { operation } from "./client";
import { path } from "./http";

const WORKLOADS = "/v1/admin/workloads";

export const listWorkloads = operation<[], Page<Workload>>({
  direct: ({ runtime, principal }) => runtime.identity.workloads.list(principal),
  remote: (server) => server.get(WORKLOADS),
});

export const getWorkload = operation<[id: string], Workload>({
  direct: ({ runtime, principal }, id) => runtime.identity.workloads.get(principal, id),
  remote: (server, id) => server.get(path(`${WORKLOADS}/`, id)),
});

export const createWorkload = operation<[request: object], Workload>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { WorkloadCreateRequest } = await import("../../src/identity/schema");
    return runtime.identity.workloads.create(principal, checked(WorkloadCreateRequest, request));
  },
  remote: (server, request) => server.send("POST", WORKLOADS, request),
});

export const deleteWorkload = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.identity.workloads.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${WORKLOADS}/`, id)),
});
