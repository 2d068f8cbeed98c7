// A worker whose answers a test decides. It keeps what arrived.
import { onTestFinished } from "bun:test";
import { isObject } from "../../../src/base";

export interface Arrived {
  path: string;
  authorization: string | null;
  /** The text of the body. */
  body: string;
}

export interface StandIn {
  uri: string;
  arrived: Arrived[];
}

type Answering = (arrived: Arrived) => Response | Promise<Response>;

/** Answers until the test is over. */
export function standIn(answer: Answering): StandIn {
  const arrived: Arrived[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 0,
    fetch: async (request) => {
      const one = {
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        body: await request.text(),
      };
      arrived.push(one);
      return answer(one);
    },
  });
  onTestFinished(() => server.stop(true));
  return { uri: `http://127.0.0.1:${server.port}`, arrived };
}

/** Sends bytes to every connection and closes it. */
export function rawStandIn(bytes: string): StandIn {
  const arrived: Arrived[] = [];
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket, data) => {
        arrived.push({ path: "", authorization: null, body: data.toString() });
        socket.end(bytes);
      },
    },
  });
  onTestFinished(() => listener.stop(true));
  return { uri: `http://127.0.0.1:${listener.port}`, arrived };
}

/** An answer in the protocol, to the call that arrived. */
export function answered(arrived: Arrived, output: object, fields: object = {}): Response {
  const { execution_id } = JSON.parse(arrived.body) as { execution_id: string };
  const body = { execution_id, finished_at: "2026-01-01T00:00:00", duration: 1.5, ...fields, output };
  return Response.json({ success: !isObject("error" in output ? output.error : undefined), ...body });
}

/** A definition with the fields that every worker sends. */
export function definition(fields: object = {}): object {
  return {
    name: "Act",
    fully_qualified_name: "Peer.Act",
    description: "Acts.",
    toolkit: { name: "Peer", description: null, version: "1.0.0" },
    input: { parameters: [] },
    output: { description: null, available_modes: ["value", "error"], value_schema: null },
    requirements: { authorization: null, secrets: null, metadata: null },
    deprecation_message: null,
    metadata: null,
    ...fields,
  };
}
