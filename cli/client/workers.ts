// Workers, on the data folder and over HTTP.
import type { Page, Paging } from "../../src/base";
import type { ToolRecord } from "../../src/tools";
import type {
  Worker,
  WorkerAuthorization,
  WorkerDiff,
  WorkerHealth,
  WorkerTestResult,
} from "../../src/workers/schema";
import type { RotatedIdentity } from "../../src/workers/identity/schema";
import type { WorkerPreview } from "../../src/workers/preview/schema";
import { operation } from "./client";
import { path } from "./http";

const WORKERS = "/v1/workers";
const at = (id: string, rest = "") => `${path(`${WORKERS}/`, id)}${rest}`;

export const listWorkers = operation<[window: Paging], Page<Worker>>({
  direct: ({ runtime, principal }, window) => runtime.workers.list(principal, window),
  remote: (server, window) => server.get(WORKERS, { ...window }),
});

export const getWorker = operation<[id: string], Worker>({
  direct: ({ runtime, principal }, id) => runtime.workers.get(principal, id),
  remote: (server, id) => server.get(at(id)),
});

export const previewWorker = operation<[request: object], WorkerPreview>({
  direct: async ({ served, principal, checked }, request) => {
    const { TerminalPreviewRequest } = await import("../../src/workers/preview/schema");
    return (await served()).workers.previews.preview(principal, checked(TerminalPreviewRequest, request));
  },
  remote: (server, request) => server.send("POST", `${WORKERS}/preview`, request),
});

export const createWorker = operation<[request: object], Worker>({
  direct: async ({ served, principal, checked }, request) => {
    const { TerminalWorkerRequest } = await import("../../src/workers/schema");
    return (await served()).workers.create(principal, checked(TerminalWorkerRequest, request));
  },
  remote: (server, request) => server.send("POST", WORKERS, request),
});

export const updateWorker = operation<[id: string, patch: object], Worker>({
  direct: async ({ served, principal, checked }, id, patch) => {
    const { TerminalWorkerUpdate } = await import("../../src/workers/schema");
    return (await served()).workers.update(principal, id, checked(TerminalWorkerUpdate, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", at(id), patch),
});

/** The names of the given secrets that are stored with the same value; undefined over HTTP, where they cannot be compared. */
export const equalWorkerSecrets = operation<[id: string, given: object], string[] | undefined>({
  direct: ({ runtime, principal }, id, given) => runtime.workers.stored.sameSecrets(principal, id, given),
  remote: async () => undefined,
});

export const rotateIdentity = operation<[], RotatedIdentity>({
  direct: ({ runtime, principal }) => runtime.workers.identityKeys.rotate(principal),
  remote: (server) => server.send("POST", "/v1/identity_keys/rotate"),
});

export const deleteWorker = operation<[id: string], void>({
  direct: async ({ served, principal }, id) => (await served()).workers.delete(principal, id),
  remote: (server, id) => server.send("DELETE", at(id)),
});

export const testWorker = operation<[request: object], WorkerTestResult>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { WorkerTestRequest } = await import("../../src/workers/schema");
    return runtime.workers.catalogs.test(principal, checked(WorkerTestRequest, request));
  },
  remote: (server, request) => server.send("POST", `${WORKERS}/test`, request),
});

export const workerHealth = operation<[id: string], WorkerHealth>({
  direct: ({ runtime, principal }, id) => runtime.workers.catalogs.health(principal, id),
  remote: (server, id) => server.get(at(id, "/health")),
});

export const workerTools = operation<[id: string, window: Paging], Page<ToolRecord>>({
  direct: async ({ runtime, principal }, id, window) => {
    await runtime.workers.get(principal, id);
    return runtime.tools.listings.ofWorker(principal, id, window);
  },
  remote: (server, id, window) => server.get(at(id, "/tools"), { ...window }),
});

export const refreshWorker = operation<[id: string], Worker>({
  direct: async ({ served, principal }, id) => (await served()).workers.catalogs.refresh(principal, id),
  remote: (server, id) => server.send("POST", at(id, "/refresh"), {}),
});

export const workerDiff = operation<[id: string], WorkerDiff>({
  direct: ({ runtime, principal }, id) => runtime.workers.catalogs.diff(principal, id),
  remote: (server, id) => server.get(at(id, "/diff")),
});

export const acceptWorker = operation<[id: string, request: object], Worker>({
  direct: async ({ runtime, principal, checked }, id, request) => {
    const { AcceptWorkerRequest } = await import("../../src/workers/schema");
    return runtime.workers.catalogs.accept(principal, id, checked(AcceptWorkerRequest, request));
  },
  remote: (server, id, request) => server.send("POST", at(id, "/accept"), request),
});

export const authorizeWorker = operation<[id: string, request: { user_id?: string }], WorkerAuthorization>({
  direct: async ({ served, principal }, id, request) =>
    (await served()).workers.authorize(principal, id, request),
  remote: (server, id, request) => server.get(at(id, "/authorize"), request),
});
