// Runs of tools and outbound requests.
import { HOST_GROUPS } from "../../telemetry";
import { Counter, Histogram, OTHER } from "../families";
import { Added, type Part, SECONDS } from "./part";

/** `builtIn`: the toolkits that every project has, whose names are not those of a project. */
export function runFamilies(builtIn: readonly string[]): Part<"tool" | "egress"> {
  const ours = new Set<string>(builtIn);
  const groups = new Set<string>([...HOST_GROUPS, ...builtIn]);
  const calls = new Counter(
    {
      name: "runtime_tool_calls",
      help: "Runs of tools by toolkit, tool and outcome (completed, refused, error, or the kind of the failure).",
      labels: ["toolkit", "tool", "outcome"],
    },
    { owned: ["toolkit", "tool"] },
  );
  const callTimes = new Histogram(
    {
      name: "runtime_tool_call_duration_seconds",
      help: "Time of a run of a tool, with its hooks.",
      unit: "seconds",
      labels: ["toolkit"],
    },
    SECONDS,
    { owned: ["toolkit"] },
  );
  const entries = new Counter({
    name: "runtime_tool_calls_by_entry",
    help: "Runs of tools by the way they came in and their result (completed, failed, refused, error).",
    labels: ["entry", "result"],
  });
  const requests = new Counter(
    {
      name: "runtime_egress_requests",
      help: "Outbound requests by group of hosts and outcome (class of the status, or why there was no answer).",
      labels: ["group", "outcome"],
    },
    { owned: ["group"] },
  );
  const requestTimes = new Histogram(
    {
      name: "runtime_egress_request_duration_seconds",
      help: "Time of an outbound request by group of hosts, to the head of a streamed answer.",
      unit: "seconds",
      labels: ["group"],
    },
    SECONDS,
    { owned: ["group"] },
  );
  return {
    families: [calls, callTimes, entries, requests, requestTimes],
    ended: {
      tool: ({ toolkit, tool, entry, project }, { outcome }) => {
        const owner = ours.has(toolkit) ? undefined : project;
        const call = calls.series([toolkit, tool, outcome], owner);
        const ofEntry = entries.series([entry, RESULTS.has(outcome) ? outcome : "failed"]);
        return new Added([call, ofEntry], [callTimes.series([toolkit], owner)]);
      },
      egress: ({ group, project }, { outcome, status }) => {
        const owner = groups.has(group) ? undefined : project;
        const count = requests.series([group, status === undefined ? outcome : classOf(status)], owner);
        return new Added([count], [requestTimes.series([group], owner)]);
      },
    },
  };
}

const RESULTS = new Set(["completed", "refused", "error"]);
const CLASSES = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"];

function classOf(status: number): string {
  return CLASSES[Math.floor(status / 100)] ?? OTHER;
}
