// Hooks, model servers, and refreshes of tokens.
import { Counter, Histogram } from "../families";
import { Added, type Part, SECONDS } from "./part";

export function otherFamilies(): Part<"hook" | "model" | "refresh"> {
  const hooks = new Counter({
    name: "runtime_hook_calls",
    help: "Calls of hooks by point and outcome (the decision, or failed).",
    labels: ["point", "outcome"],
  });
  const hookTimes = new Histogram(
    {
      name: "runtime_hook_call_duration_seconds",
      help: "Time of a call of a hook, with its retries.",
      unit: "seconds",
      labels: ["point"],
    },
    SECONDS,
  );
  const models = new Counter(
    {
      name: "runtime_model_requests",
      help: "Requests to model servers by model entry, operation and outcome (ok, error).",
      labels: ["entry", "operation", "outcome"],
    },
    { owned: ["entry"] },
  );
  const modelTimes = new Histogram(
    {
      name: "runtime_model_request_duration_seconds",
      help: "Time of a request to a model server, to the head of a streamed answer.",
      unit: "seconds",
      labels: ["entry"],
    },
    SECONDS,
    { owned: ["entry"] },
  );
  const tokens = new Counter(
    {
      name: "runtime_model_tokens",
      help: "Tokens that model servers have counted in whole answers, by model entry and direction (input, output).",
      labels: ["entry", "direction"],
    },
    { owned: ["entry"] },
  );
  const refreshes = new Counter(
    {
      name: "runtime_token_refreshes",
      help: "Refreshes of users' tokens by auth provider and outcome (refreshed, dead, superseded, error).",
      labels: ["provider", "outcome"],
    },
    { owned: ["provider"] },
  );
  const refreshTimes = new Histogram(
    {
      name: "runtime_token_refresh_duration_seconds",
      help: "Time of a refresh of a user's token.",
      unit: "seconds",
      labels: [],
    },
    SECONDS,
  );
  return {
    families: [hooks, hookTimes, models, modelTimes, tokens, refreshes, refreshTimes],
    ended: {
      hook: ({ point }, { outcome }) =>
        new Added([hooks.series([point, outcome])], [hookTimes.series([point])]),
      model: ({ entry, operation, project }, { outcome }) => {
        const added = new Added(
          [models.series([entry, operation, outcome], project)],
          [modelTimes.series([entry], project)],
        );
        const count = (direction: string, value: number | undefined): void => {
          if (value !== undefined && value > 0) tokens.add([entry, direction], value, project);
        };
        return {
          add: (ms, end) => {
            added.add(ms);
            if ("inputTokens" in end) count("input", end.inputTokens);
            if ("outputTokens" in end) count("output", end.outputTokens);
          },
        };
      },
      refresh: ({ provider, project }, { outcome }) =>
        new Added([refreshes.series([provider, outcome], project)], [refreshTimes.series([])]),
    },
  };
}
