// Public operations about the service itself.
import { Type } from "typebox";
import { notFound } from "../../src/errors";
import { AccessLogRequest, AccessLogResponse, LogLevelRequest, LogLevelResponse } from "../../src/log-level";
import { ServerStateRequest, ServerStateResponse } from "../../src/own-state";
import { proofOf } from "../../src/serving";
import { metricsPage } from "../metrics-page";
import { operation, StatusAnswer } from "./operation";

const ProofQuery = Type.Object({
  server: Type.String({ pattern: "^[A-Za-z0-9_-]{1,100}$" }),
  challenge: Type.String({ pattern: "^[A-Za-z0-9_-]{20,100}$" }),
});
const ProofSchema = Type.Object({ proof: Type.String() });

const LiveSchema = Type.Object({ live: Type.Boolean() });
const ReadySchema = Type.Object({
  ready: Type.Boolean(),
  reasons: Type.Optional(Type.Array(Type.String(), { description: "Why the server is not ready." })),
});

const tag = "Operations";

export const HealthSchema = Type.Object({ healthy: Type.Boolean(), reason: Type.Optional(Type.String()) });

export const serviceOperations = [
  operation("GET", "/v1/health", {
    id: "service-health",
    credential: "public",
    tag,
    summary: "Get the health of the service",
    success: { status: 200, schema: HealthSchema },
    errors: [503],
    others: { 503: HealthSchema },
    handle: async ({ runtime }) => {
      const health = await runtime.health();
      return new StatusAnswer(health.healthy ? 200 : 503, health);
    },
  }),

  // Outside /v1, at the addresses that others use for it. Asks nothing: a restart would not repair the database.
  operation("GET", "/livez", {
    id: "service-live",
    credential: "public",
    extension: true,
    tag,
    summary: "Get whether the process answers requests, for whatever restarts it",
    success: { status: 200, schema: LiveSchema },
    errors: [],
    handle: () => ({ live: true }),
  }),

  operation("GET", "/readyz", {
    id: "service-ready",
    credential: "public",
    extension: true,
    tag,
    summary: "Get whether this server should get requests, for load balancers",
    success: { status: 200, schema: ReadySchema },
    errors: [503],
    others: { 503: ReadySchema },
    handle: async ({ runtime }) => {
      const reasons = await runtime.readiness.reasons();
      if (reasons.length === 0) return { ready: true };
      return new StatusAnswer(503, { ready: false, reasons });
    },
  }),

  // Outside /v1, because scrapers look for it there. Its text is not JSON.
  operation("GET", "/metrics", {
    id: "metrics",
    credential: ["admin", "metrics"],
    extension: true,
    tag,
    summary: "Get the metrics of this server, in OpenMetrics or the text format of Prometheus",
    success: { status: 200 },
    errors: [401, 403, 404],
    handle: ({ runtime, principal, accept }) => metricsPage(runtime, accept, principal.projectId),
  }),

  // Our command line sends no key to an announced address before this.
  operation("GET", "/v1/proof", {
    id: "server-proof",
    credential: "public",
    extension: true,
    tag,
    summary: "Prove to a command on the same data folder that this is the announced server",
    query: ProofQuery,
    success: { status: 200, schema: ProofSchema },
    errors: [400, 404, 503],
    handle: async ({ runtime, query: { server, challenge } }) => {
      const proof = await proofOf(runtime.core, server, challenge);
      if (proof === undefined) throw notFound("This server has no announcement of this id.");
      return { proof };
    },
  }),

  // The body has a proof instead of a credential: a key of a project must not change the log of the installation.
  operation("PUT", "/v1/log_level", {
    id: "log-level",
    credential: "public",
    extension: true,
    tag,
    summary: "Change the log level, for a command on the data folder, which proves that it has the root key",
    body: LogLevelRequest,
    success: { status: 200, schema: LogLevelResponse },
    errors: [400, 404, 413, 415, 503],
    handle: ({ runtime, body }) => runtime.ownState.log.changeLevel(body),
  }),

  operation("PUT", "/v1/access_log", {
    id: "access-log",
    credential: "public",
    extension: true,
    tag,
    summary: "Switch the access log, for a command on the data folder, which proves that it has the root key",
    body: AccessLogRequest,
    success: { status: 200, schema: AccessLogResponse },
    errors: [400, 404, 413, 415, 503],
    handle: ({ runtime, body }) => runtime.ownState.log.changeAccess(body),
  }),

  operation("POST", "/v1/server_state", {
    id: "server-state",
    credential: "public",
    extension: true,
    tag,
    summary:
      "Get the state of this server, for a command on the data folder, which proves that it has the root key",
    body: ServerStateRequest,
    success: { status: 200, schema: ServerStateResponse },
    errors: [400, 404, 413, 415, 503],
    handle: ({ runtime, body }) => runtime.ownState.tell(body),
  }),
];
