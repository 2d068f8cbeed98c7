// Drives the HTTP kind of workers without records: over the outbound client, with the context that a run gets.
import {
  type Clock,
  createLog,
  type JsonObject,
  LazyAbort,
  Redacted,
  systemClock,
  WorkInFlight,
} from "../../../src/base";
import type { LiveGrant } from "../../../src/connections";
import type { Core } from "../../../src/core";
import { noTelemetry } from "../../../src/telemetry";
import { createEgress } from "../../../src/egress";
import { ToolError, type ToolDefinition } from "../../../src/tools";
import { ConnectionCaches } from "../../../src/tools/cache";
import { type Run, toolContext } from "../../../src/tools/context";
import { httpKind } from "../../../src/workers/http";
import type { LoadedWorker, WorkerKind, WorkerTool } from "../../../src/workers/tool";

export const SECRET = "a-secret-that-only-the-worker-knows";

/** The record of a worker, as its kind gets it. */
export function workerAt(uri: string, fields: Partial<LoadedWorker> = {}): LoadedWorker {
  return {
    projectId: "default",
    id: "peer",
    createdAt: 0,
    type: "http",
    uri,
    timeoutMs: 5000,
    retry: 0,
    toolkit: "Peer",
    sendTokens: true,
    trustAnnotations: false,
    strictResults: false,
    secret: async () => new Redacted(SECRET),
    secrets: async () => ({}),
    headers: async () => ({}),
    userKeys: [],
    ...fields,
  };
}

/** A tool without parameters and requirements. */
export function toolOf(fields: Partial<WorkerTool> = {}): WorkerTool {
  return {
    upstream: "Act",
    toolkit: { name: "Peer", version: "1.0.0" },
    name: "Act",
    description: "Acts.",
    input: { type: "object", properties: {} },
    metadata: {
      behavior: { operations: [], read_only: false, destructive: true, idempotent: false, open_world: true },
    },
    ...fields,
  };
}

export const READ_ONLY: WorkerTool["metadata"] = {
  behavior: {
    operations: ["read"],
    read_only: true,
    destructive: false,
    idempotent: false,
    open_world: true,
  },
};

export interface CallOptions {
  input?: JsonObject;
  /** Of the user; the run has a grant if it is given. */
  token?: string;
  facts?: JsonObject;
  /** The token after a renewal; absent: there is no newer one. */
  newerToken?: string;
  secrets?: Record<string, string>;
  clientId?: string;
  /** Time that the run has left. */
  leftMs?: number;
}

export interface Called {
  value?: unknown;
  error?: ToolError;
  logs: Run["logs"];
  /** How often the run has asked for a newer token. */
  renewals: number;
}

export interface Driver {
  kind: WorkerKind;
  /** All lines of the log, with every level. */
  lines: string[];
  call(worker: LoadedWorker, tool: WorkerTool, options?: CallOptions): Promise<Called>;
}

export interface DriverOptions {
  clock?: Clock;
  allow?: readonly string[];
  maxBytes?: number;
  /** Setting `egress.timeout`, in seconds. */
  egressTimeout?: number;
}

/** Waits between repeats take no time. */
const HASTY: Clock = { ...systemClock, sleep: async () => undefined };

export function drive({
  clock = HASTY,
  allow = ["loopback"],
  maxBytes = 1_000_000,
  egressTimeout = 30,
}: DriverOptions = {}): Driver {
  const lines: string[] = [];
  const log = createLog({ level: "debug", clock, write: (line) => lines.push(line) });
  const egress = createEgress({ allow, timeoutMs: 30_000, maxBytes, log });
  const kind = httpKind({ egress, clock });
  // Only these parts are used by the context of a run.
  const core = {
    egress,
    clock,
    settings: { "egress.timeout": egressTimeout },
    telemetry: noTelemetry,
    work: new WorkInFlight(),
    publicUrl: () => "https://runtime.example",
  } as unknown as Core;
  return { kind, lines, call: (worker, tool, options = {}) => called(core, kind, worker, tool, options) };
}

async function called(
  core: Core,
  kind: WorkerKind,
  worker: LoadedWorker,
  tool: WorkerTool,
  options: CallOptions,
): Promise<Called> {
  const { token, newerToken, facts = {}, secrets = {}, input = {}, clientId, leftMs = 20_000 } = options;
  const grantWith = (text: string | undefined): LiveGrant | undefined =>
    text === undefined
      ? undefined
      : { connectionId: "ac_1", version: 1, token: new Redacted(text), scopes: ["read"], facts };
  const result: Called = { logs: [], renewals: 0 };
  const run = {
    ...runOf(core, kind, worker, leftMs),
    grant: grantWith(token),
    renew: async () => {
      result.renewals++;
      return grantWith(newerToken);
    },
    secrets,
    logs: result.logs,
    ...(clientId === undefined ? {} : { provider: { id: "known", oauth2: { clientId } } }),
  };
  try {
    // The parts of the provider that the context uses.
    result.value = await kind.run(worker, tool)(input, toolContext(core, run as unknown as Run));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    result.error = error;
  }
  return result;
}

function runOf(core: Core, kind: WorkerKind, worker: LoadedWorker, leftMs: number): object {
  const toolkit = { name: worker.toolkit, description: "", version: "1.0.0" };
  const definition: Partial<ToolDefinition> = { name: "Act" };
  return {
    projectId: worker.projectId,
    call: {
      id: "te_1",
      executionId: "tc_1",
      projectId: worker.projectId,
      userId: "alice",
      actor: "key:key_test",
    },
    tool: {
      catalog: { toolkit, bases: kind.bases(worker), tools: [], worker: { id: worker.id, type: "http" } },
      definition,
    },
    provider: undefined,
    progress: { requests: 0, hasEffect: false },
    limit: { signal: new AbortController().signal, stop: new LazyAbort(), left: leftMs },
    deadline: core.clock.now() + leftMs,
    cache: () => new ConnectionCaches(core.clock).none(),
  };
}
