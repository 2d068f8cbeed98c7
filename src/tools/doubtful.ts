// Refusals of tokens that may concern the client instead of one user's grant: a platform that accepts a client only from
// certain addresses refuses all of its tokens after the address of this server has changed. Then no grant is dead.
import type { Core } from "../core";
import type { Connections } from "../connections";
import { type MemoryKind, type MemoryOwner, toolMemory } from "./memory";
import { fatal, type GrantDead, type ToolError } from "./tool-error";

/** The connections whose tokens were refused, for all users of a client and account. */
const REFUSED: MemoryKind = { name: "refused", of: "account" };
const WINDOW_MS = 10 * 60_000;
/** So many connections within the window are not a coincidence. */
const MANY = 3;
const REASON = "the platform no longer accepts the grant, or this server's address";

export class DoubtfulRefusals {
  readonly #core: Core;
  readonly #connections: Connections;

  constructor(core: Core, connections: Connections) {
    this.#core = core;
    this.#connections = connections;
  }

  /**
   * Handles a refusal that may concern the client. The first connections are marked as dead; with many of them, they are
   * restored, and the result is the error for the operator.
   */
  async handle(owner: MemoryOwner, failure: GrantDead): Promise<ToolError | undefined> {
    const { connectionId, version, projectId } = owner;
    const memory = toolMemory(this.#core, () => owner);
    await memory.write(REFUSED, "tokens", slotOf(connectionId), { connectionId, version }, WINDOW_MS);
    const since = this.#core.clock.now() - WINDOW_MS;
    const refused = (await memory.read(REFUSED, "tokens")).filter(({ storedAt }) => storedAt > since);
    if (owner.account === undefined || refused.length < MANY) {
      await this.#connections.markDead(projectId, { connectionId, version }, REASON);
      return undefined;
    }
    for (const { value } of refused) await this.#restore(projectId, value);
    return this.#reported(owner, failure);
  }

  async #restore(projectId: string, value: unknown): Promise<void> {
    // Written by `handle`.
    const used = value as { connectionId: string; version: number };
    await this.#connections.restore(projectId, used, REASON);
  }

  #reported({ toolkit }: MemoryOwner, failure: GrantDead): ToolError {
    const { developerMessage = "" } = failure.details;
    this.#core.log.error("a platform refuses the tokens of many users of a client at once", {
      toolkit,
      code: developerMessage,
    });
    return fatal(
      `The platform refuses the tokens of many users at once (${developerMessage}). It may accept this application only from ` +
        "certain network addresses, or the application was removed there.",
      {
        developerMessage,
        advice:
          "The operator compares the address of this server with the application's settings at the platform. Users need not " +
          "authorize again; if the application was removed, the operator deletes the connections.",
      },
    );
  }
}

/** A part number for a connection. */
function slotOf(connectionId: string): number {
  return Number(Bun.hash.crc32(connectionId));
}
