// The workers of a project of the world: one of each kind, with the same ids in both projects, and secrets that differ.
import { httpStandIn, mcpStandIn, type StandInWorker } from "../workers/two-kinds";
import type { Site } from "../support/site";

/** Of both workers of a project. No answer shows it. */
export const secretOf = (project: string): string => `secret-of-the-workers-of-${project}-CANARY`;

export class ProjectWorkers implements AsyncDisposable {
  readonly peer: StandInWorker;
  readonly web: StandInWorker;
  /** A server that generated workers lead to: its tools bear no mark, because any project may ask it. */
  readonly open = mcpStandIn();
  readonly #secret: string;

  /** `mark`: in descriptions of its tools. `foreign`: the secret of the other project. */
  constructor(mark: string, secret: string, foreign: string) {
    this.#secret = secret;
    this.peer = mcpStandIn({ mark, foreignSecret: foreign });
    this.web = httpStandIn({ mark, foreignSecret: foreign });
  }

  /** Requests with the secret of the other project. */
  get foreign(): number {
    return this.peer.foreign + this.web.foreign;
  }

  /** The settings of an MCP worker. */
  mcp(uri: string) {
    const headers = { "x-key": "${secret:KEY}" };
    return { uri, timeout: 5, retry: 0, headers, secrets: { KEY: this.#secret } };
  }

  async create({ runtime }: Site, project: string): Promise<void> {
    const operator = await runtime.identity.operator(project);
    await runtime.workers.create(operator, { id: "peer", mcp: this.mcp(this.peer.uri) });
    const http = { uri: this.web.uri, secret: this.#secret, timeout: 5, retry: 0 };
    await runtime.workers.create(operator, { id: "web", http });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.open[Symbol.asyncDispose]();
    await this.peer[Symbol.asyncDispose]();
    await this.web[Symbol.asyncDispose]();
  }
}
