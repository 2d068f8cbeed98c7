// The process, by the names that all Prometheus clients use for it. What only Linux tells is missing elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { build } from "../../build";
import { version } from "../../../package.json";
import type { Family } from "../families";
import { counted, gauge, Reading } from "./gauge";

const STARTED_S = (Date.now() - performance.now()) / 1000;

export function processFamilies(): Family[] {
  return [
    new Reading(
      "info",
      {
        name: "runtime_build",
        help: "The version of the program, and the commit that it was built from.",
        labels: ["version", "commit"],
      },
      () => [[[version, build?.commit ?? ""], 1]],
    ),
    counted(
      {
        name: "process_cpu_seconds",
        help: "Time of the processors that the process has used.",
        unit: "seconds",
      },
      () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1_000_000;
      },
    ),
    gauge(
      { name: "process_resident_memory_bytes", help: "Resident memory of the process.", unit: "bytes" },
      () => process.memoryUsage.rss(),
    ),
    gauge(
      { name: "process_virtual_memory_bytes", help: "Virtual memory of the process.", unit: "bytes" },
      virtualMemory,
    ),
    gauge(
      { name: "runtime_heap_bytes", help: "Memory of objects of the program.", unit: "bytes" },
      () => process.memoryUsage().heapUsed,
    ),
    gauge({ name: "process_open_fds", help: "Open file descriptors." }, openDescriptors),
    gauge({ name: "process_max_fds", help: "The most file descriptors that may be open." }, mostDescriptors),
    gauge(
      {
        name: "process_start_time_seconds",
        help: "When the process started, in seconds since 1970.",
        unit: "seconds",
      },
      () => STARTED_S,
    ),
  ];
}

function openDescriptors(): number | undefined {
  return ifReadable(() => readdirSync("/proc/self/fd").length);
}

function mostDescriptors(): number | undefined {
  const text = ifReadable(() => readFileSync("/proc/self/limits", "latin1"));
  const line = text?.split("\n").find((each) => each.startsWith("Max open files"));
  const most = Number(line?.split(/ {2,}/)[1]);
  return Number.isNaN(most) ? undefined : most;
}

function virtualMemory(): number | undefined {
  const text = ifReadable(() => readFileSync("/proc/self/status", "latin1"));
  const line = text?.split("\n").find((each) => each.startsWith("VmSize:"));
  const kilobytes = Number.parseInt(line?.slice("VmSize:".length) ?? "", 10);
  return Number.isNaN(kilobytes) ? undefined : kilobytes * 1024;
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
