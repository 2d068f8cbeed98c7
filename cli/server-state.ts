// Asks the running server of a data folder what it knows about itself.
import { type ServerState, ServerStateResponse } from "../src/own-state";
import type { Runtime } from "../src/runtime";
import { answersOfServers } from "./ask-servers";

const QUESTION = { purpose: "server state", method: "POST", path: "/v1/server_state" } as const;
/** Lines and metrics are long. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Of the newest server; undefined if none answers. */
export async function stateOfServer(runtime: Runtime): Promise<ServerState | undefined> {
  const asked = { ...QUESTION, schema: ServerStateResponse };
  return (await answersOfServers<ServerStateResponse>(runtime, asked, {}))[0]?.state;
}

/** The same, with the last lines of its log and its page of metrics. */
export async function detailsOfServer(runtime: Runtime): Promise<ServerStateResponse | undefined> {
  const asked = { ...QUESTION, schema: ServerStateResponse, mostBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS };
  return (await answersOfServers<ServerStateResponse>(runtime, asked, { details: true }))[0];
}
