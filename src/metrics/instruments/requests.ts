// Requests over HTTP and messages of MCP clients.
import { Counter, Histogram, OTHER } from "../families";
import { Added, type Part, SECONDS } from "./part";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Methods of MCP that clients send; they could send any text. */
const MCP_METHODS = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
  "subscriptions/listen",
  "notifications/initialized",
  "notifications/cancelled",
]);
/** Lasts as long as its client listens. */
const ENDLESS = "subscriptions/listen";

export function requestFamilies(): Part<"request" | "mcp"> {
  const requests = new Counter({
    name: "runtime_http_requests",
    help: "Requests by method, pattern of the route, and status; the route other is a path that is not served.",
    labels: ["method", "route", "status"],
  });
  const requestTimes = new Histogram(
    {
      name: "runtime_http_request_duration_seconds",
      help: "Time from the arrival of a request to the beginning of its answer.",
      unit: "seconds",
      labels: ["method", "route"],
    },
    SECONDS,
  );
  const messages = new Counter({
    name: "runtime_mcp_messages",
    help: "Messages of MCP clients by method and outcome (ok, error).",
    labels: ["method", "outcome"],
  });
  const messageTimes = new Histogram(
    {
      name: "runtime_mcp_message_duration_seconds",
      help: "Time until the reply to a message of an MCP client, without subscriptions/listen.",
      unit: "seconds",
      labels: ["method"],
    },
    SECONDS,
  );
  return {
    families: [requests, requestTimes, messages, messageTimes],
    ended: {
      request: ({ method: given, route = OTHER }, { status }) => {
        const method = METHODS.has(given) ? given : OTHER;
        const count = requests.series([method, route, String(status)]);
        return new Added([count], [requestTimes.series([method, route])]);
      },
      mcp: ({ method: given }, { outcome }) => {
        const method = MCP_METHODS.has(given) ? given : OTHER;
        const count = messages.series([method, outcome]);
        return new Added([count], method === ENDLESS ? [] : [messageTimes.series([method])]);
      },
    },
  };
}
