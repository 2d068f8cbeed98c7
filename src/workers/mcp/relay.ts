// What a server sends before its reply: reports of progress, log messages, and questions.
import { isObject, type JsonObject, visibleJson } from "../../base";
import type { PeerOptions } from "../../mcp";
import type { ToolContext } from "../../tools";
import { cleanDescription } from "../foreign";
import type { Asks } from "./asks";

const MOST_LOGS = 50;
const LONGEST_LOG = 1000;
/** Reports of progress of one call. */
const MOST_REPORTS = 1000;

const LEVELS: { readonly [level: string]: "debug" | "info" | "warning" | "error" } = {
  debug: "debug",
  info: "info",
  notice: "info",
  warning: "warning",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

/** Passes messages of a server on to the caller and the log of a run, within limits. */
export function relaying(context: ToolContext, asks: Asks): Pick<PeerOptions, "notified" | "asked"> {
  const left = { logs: MOST_LOGS, reports: MOST_REPORTS };
  return {
    notified: (method, params) => {
      if (method === "notifications/progress" && left.reports-- > 0) report(context, params);
      if (method === "notifications/message" && left.logs-- > 0) log(context, params);
    },
    asked: (method, params) => asks.answer(method, params),
  };
}

function report({ caller }: ToolContext, { progress, total, message }: JsonObject): void {
  if (typeof progress !== "number") return;
  caller?.progress(
    progress,
    typeof total === "number" ? total : undefined,
    typeof message === "string" ? cleanDescription(message).slice(0, LONGEST_LOG) : undefined,
  );
}

function log(context: ToolContext, { level, logger, data }: JsonObject): void {
  const text = typeof data === "string" ? data : visibleJson(JSON.stringify(data ?? null));
  const name = typeof logger === "string" ? `${logger.slice(0, 100)}: ` : "";
  context.log(
    LEVELS[String(level)] ?? "info",
    cleanDescription(
      isObject(data) && typeof data["message"] === "string" ? data["message"] : name + text,
    ).slice(0, LONGEST_LOG),
  );
}
