// Asks the running server of a data folder what it knows about itself.
import { type ServerState, ServerStateResponse } from "../src/own-state";
import type { Runtime } from "../src/runtime";
import { answersOfServers } from "./ask-servers";

/** Of the newest server; undefined if none answers. */
export async function stateOfServer(runtime: Runtime): Promise<ServerState | undefined> {
  const question = { purpose: "server state", method: "POST", path: "/v1/server_state" } as const;
  const asked = { ...question, schema: ServerStateResponse };
  return (await answersOfServers<ServerStateResponse>(runtime, asked, {}))[0]?.state;
}
