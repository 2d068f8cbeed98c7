// What is running and waiting in this process.
import type { Core } from "../../core";
import type { Limits } from "../../limits";
import type { Family } from "../families";
import { gauge } from "./gauge";

export interface WorkParts {
  limits: Limits;
  /** Processes of programs of workers. */
  programs: { readonly size: number; memoryBytes(): number | undefined };
  /** Entries of the execution log that are not written yet. */
  unwritten(): number;
}

export function workFamilies(core: Core, { limits, programs, unwritten }: WorkParts): Family[] {
  return [
    gauge({ name: "runtime_calls_running", help: "Tool calls and chat completions that are running." }, () =>
      limits.running("limits.calls_per_project"),
    ),
    gauge({ name: "runtime_long_polls", help: "Requests that wait for the end of a consent or a run." }, () =>
      limits.running("limits.long_polls_per_key"),
    ),
    gauge({ name: "runtime_mcp_streams", help: "Streams on which MCP clients listen for changes." }, () =>
      limits.running("limits.streams"),
    ),
    gauge(
      {
        name: "runtime_egress_pending",
        help: "Outbound requests by state: running, or waiting for a place.",
        labels: ["state"],
      },
      () => {
        const load = core.egress.load?.();
        return [
          [["running"], load?.running],
          [["waiting"], load?.waiting],
        ];
      },
    ),
    gauge(
      {
        name: "runtime_execution_log_unwritten",
        help: "Entries of the execution log that are not written yet.",
      },
      unwritten,
    ),
    gauge(
      { name: "runtime_worker_processes", help: "Processes of workers that are programs." },
      () => programs.size,
    ),
    gauge(
      {
        name: "runtime_worker_memory_bytes",
        help: "Resident memory of these processes, with those that they have started and their supervisors.",
        unit: "bytes",
      },
      () => programs.memoryBytes(),
    ),
  ];
}
