// How a consent has ended, for services that have asked for it.
import type { Core } from "../core";
import { statusOf } from "./flow";
import { findFlow } from "./repository";
import type { FlowRow } from "./repository";

export interface FlowEnd {
  status: FlowRow["status"];
  /** Milliseconds since the epoch. */
  finishedAt: number | undefined;
}

/** Undefined for an unknown id. Says nothing about the grant, which may have ended since. */
export async function endOfFlow(core: Core, projectId: string, id: string): Promise<FlowEnd | undefined> {
  const row = await findFlow(core.store, projectId, id);
  if (row === undefined) return undefined;
  return { status: statusOf(row, core.clock.now()), finishedAt: row.finished_at ?? undefined };
}
