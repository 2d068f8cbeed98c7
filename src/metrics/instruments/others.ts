// Hooks, model servers, and refreshes of tokens.
import { Counter, Histogram } from "../families";
import { type Part, SECONDS } from "./part";

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
      hook: ({ point }, { outcome }, ms) => {
        hooks.add([point, outcome]);
        hookTimes.observe([point], ms);
      },
      model: ({ entry, operation, project }, { outcome, inputTokens = 0, outputTokens = 0 }, ms) => {
        models.add([entry, operation, outcome], 1, project);
        modelTimes.observe([entry], ms, project);
        if (inputTokens > 0) tokens.add([entry, "input"], inputTokens, project);
        if (outputTokens > 0) tokens.add([entry, "output"], outputTokens, project);
      },
      refresh: ({ provider, project }, { outcome }, ms) => {
        refreshes.add([provider, outcome], 1, project);
        refreshTimes.observe([], ms);
      },
    },
  };
}
