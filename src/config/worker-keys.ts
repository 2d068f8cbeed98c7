// The settings of workers.
import { WorkerRecord } from "./workers";

export const WORKER_KEYS = {
  workers: {
    schema: {
      type: "array",
      items: WorkerRecord,
      description: "a list of workers, each with an id and either http or mcp",
    },
    records: true,
    meaning: "workers whose tools every project offers",
  },
  "stdio.max_processes": {
    schema: { type: "integer", minimum: 1, maximum: 10_000, description: "a number, 1 to 10000" },
    default: 64,
    meaning:
      "most processes of workers that are programs at the same time; one worker has at most half of them",
  },
} as const;
