// Requests over HTTP and messages of MCP clients.
import { Counter, Histogram, OTHER } from "../families";
import { type Part, SECONDS } from "./part";

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
      request: ({ method: given, route = OTHER }, { status }, ms) => {
        const method = METHODS.has(given) ? given : OTHER;
        requests.add([method, route, String(status)]);
        requestTimes.observe([method, route], ms);
      },
      mcp: ({ method: given }, { outcome }, ms) => {
        const method = MCP_METHODS.has(given) ? given : OTHER;
        messages.add([method, outcome]);
        if (method !== ENDLESS) messageTimes.observe([method], ms);
      },
    },
  };
}
