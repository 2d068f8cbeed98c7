// All benches, in the order in which they run.
import type { Bench } from "../bench";
import { auditVerify } from "./audit-verify";
import { bodies } from "./bodies";
import { chat } from "./chat";
import { chatCatalog } from "./chat-catalog";
import { cli } from "./cli";
import { execute } from "./execute";
import { get } from "./get";
import { history } from "./history";
import { hooks } from "./hooks";
import { list } from "./list";
import { mcp } from "./mcp";
import { memory } from "./memory";
import { postgres } from "./postgres";
import { programs } from "./programs";
import { sheetsRead } from "./sheets-read";
import { size } from "./size";
import { start } from "./start";
import { telemetry } from "./telemetry";
import { toolSearch } from "./tool-search";
import { tools } from "./tools";
import { workers } from "./workers";
import { write } from "./write";

export const benches: readonly Bench[] = [
  get,
  list,
  tools,
  toolSearch,
  write,
  auditVerify,
  execute,
  chat,
  hooks,
  mcp,
  telemetry,
  workers,
  start,
  memory,
  bodies,
  size,
  cli,
  history,
  chatCatalog,
  sheetsRead,
  programs,
  postgres,
];
