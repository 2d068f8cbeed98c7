// Consents that the answer of an HTTP worker asks for. A worker is a program of somebody else, and its grant is shared with
// other tools: its word must not end or narrow the grant. So the user is asked to consent once more, for the requirement of
// the tool that was called, and the stored grant stays as it is.
import {
  type Authorization,
  type AuthorizationService,
  endOfFlow,
  type ScopesRequest,
} from "../authorization";
import type { Connections } from "../connections";
import type { Core } from "../core";
import { type MemoryKind, type ToolMemory, toolMemory } from "./memory";
import type { Ready } from "./readiness";
import type { Tool } from "./registry";
import { ConsentAsked, fatal, GrantDead, ScopesLost, type ToolError } from "./tool-error";

/** The id of the latest consent that a worker has asked for, for each connection. */
const ASKED: MemoryKind = { name: "asked_consent", of: "account" };
const LATEST = "latest";
/** A worker that asks again so soon after a consent would send the user round in circles. */
const SETTLED_MS = 3600_000;
/** Longer than a consent can be pending. */
const KEPT_MS = 25 * 3600_000;

export interface AskedConsent {
  error: ToolError;
  authorization?: Authorization;
}

export class AskedConsents {
  readonly #core: Core;
  readonly #connections: Connections;
  readonly #authorization: AuthorizationService;

  constructor(core: Core, connections: Connections, authorization: AuthorizationService) {
    this.#core = core;
    this.#connections = connections;
    this.#authorization = authorization;
  }

  /** What becomes of the failure of a run; undefined unless a worker asks for a consent. */
  async of(ready: Ready, failure: ToolError): Promise<AskedConsent | undefined> {
    const { tool, grant, authorization, projectId, incarnation, actor, userId } = ready;
    const worker = workerOf(tool);
    if (worker === undefined || grant === undefined || !asks(failure)) return undefined;
    const provider = authorization?.provider;
    if (provider === undefined) return undefined;
    const memory = this.#memory(projectId, worker, grant.connectionId);
    if (await this.#isSettled(projectId, memory)) return { error: circle(worker, failure) };
    const { scopes } = authorization ?? { scopes: [] };
    const request = { projectId, incarnation, actor, userId, provider, scopes };
    // If no consent can be started (no user verification is configured), the answer is only the failure.
    const started = await this.#start(request, memory).catch(() => undefined);
    return started === undefined ? { error: failure } : { error: failure, authorization: started };
  }

  /** As `AuthorizationService.forScopes`; not `completed` while a worker waits for the consent that it has asked for. */
  async authorize(tool: Tool, request: ScopesRequest): Promise<Authorization> {
    const { projectId, userId, provider } = request;
    const worker = workerOf(tool);
    const state =
      worker === undefined ? undefined : await this.#connections.state(projectId, userId, provider);
    if (worker === undefined || state === undefined) return this.#authorization.forScopes(request);
    const memory = this.#memory(projectId, worker, state.connectionId);
    const asked = await this.#asked(projectId, memory);
    const isOpen = asked !== undefined && asked.status !== "completed";
    return isOpen ? this.#start(request, memory) : this.#authorization.forScopes(request);
  }

  async #start(request: ScopesRequest, memory: ToolMemory): Promise<Authorization> {
    const started = await this.#authorization.forScopes({ ...request, renews: true });
    await memory.write(ASKED, LATEST, 0, started.id ?? null, KEPT_MS);
    return started;
  }

  async #isSettled(projectId: string, memory: ToolMemory): Promise<boolean> {
    const asked = await this.#asked(projectId, memory);
    const since = this.#core.clock.now() - SETTLED_MS;
    return asked?.status === "completed" && (asked.finishedAt ?? 0) > since;
  }

  async #asked(projectId: string, memory: ToolMemory) {
    const [latest] = await memory.read(ASKED, LATEST);
    return typeof latest?.value === "string" ? endOfFlow(this.#core, projectId, latest.value) : undefined;
  }

  /** Not that of the connection's tokens, which a consent replaces. */
  #memory(projectId: string, worker: string, connectionId: string): ToolMemory {
    return toolMemory(this.#core, () => ({
      projectId,
      connectionId,
      version: 0,
      toolkit: "workers",
      account: [worker, connectionId],
    }));
  }
}

/** An MCP server answers for itself: its tools use a grant that is for this server. */
function workerOf({ catalog: { worker } }: Tool): string | undefined {
  return worker?.type === "http" ? worker.id : undefined;
}

function asks(failure: ToolError): boolean {
  return [ConsentAsked, GrantDead, ScopesLost].some((kind) => failure instanceof kind);
}

function circle(worker: string, { details }: ToolError): ToolError {
  const { developerMessage = "" } = details;
  return fatal(
    `The worker ${worker} asks for the user's consent again, although the user has just given it. Another one would not help.`,
    { developerMessage, advice: `An administrator checks the worker: runtime workers health ${worker}` },
  );
}
