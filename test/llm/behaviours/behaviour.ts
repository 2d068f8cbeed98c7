// One row of the table: what the server of a model does, and what a caller must see.
import type { JsonObject } from "../../../src/base";
import type { Turn } from "../../sandbox/models/chat-server";
import type { Seen, Stage } from "./stage";

export interface Behaviour {
  name: string;
  /** Tags of reported faults that this row prevents. */
  faults?: readonly string[];
  /** Parts of the request besides model, messages and tools. */
  request?: object;
  /** What the server does, request by request; the last one repeats. */
  turns: readonly Turn[];
  /** What the tools do. */
  act?: Parameters<Stage["act"]>[0];
  /** Default: both. */
  only?: "whole" | "stream";
  /** Inputs of the runs. */
  runs?: readonly JsonObject[];
  content?: string | RegExp;
  finish?: string;
  /** Contents of the tool messages, in order. */
  answers?: readonly RegExp[];
  /** Ids of the tool messages, in order. */
  ids?: readonly string[];
  status?: number;
  error?: RegExp;
  /** How often the server was asked. */
  asked?: number;
  /** The table's other columns do not say it. */
  also?(seen: Seen, stage: Stage): void;
}
