// The chapters of the ledger.
import type { Chapter } from "../ledger";
import { authorizationServer } from "./authorization-server";
import { cors, events } from "./browsers";
import { jsonRpc } from "./json-rpc";
import { mcp2025 } from "./mcp-2025";
import { mcp2026 } from "./mcp-2026";
import { rfc8414, rfc8707, rfc9728 } from "./metadata";
import { rfc7009, rfc7636, rfc7662, rfc9207, rfc9700 } from "./oauth-answers";
import { core, discovery } from "./openid";
import { rfc6749 } from "./rfc6749";
import { rfc9110 } from "./rfc9110";
import { rfc9112 } from "./rfc9112";
import { rfc6750, rfc9068 } from "./tokens";
import { webhooks } from "./webhooks";
import { asClient, rfc7591 } from "./worker-consents";

export const chapters: readonly Chapter[] = [
  mcp2025,
  mcp2026,
  jsonRpc,
  rfc6749,
  rfc6750,
  rfc7009,
  rfc7591,
  rfc7636,
  rfc7662,
  asClient(rfc8414),
  asClient(rfc8707),
  rfc9068,
  rfc9207,
  rfc9700,
  asClient(rfc9728),
  authorizationServer,
  core,
  discovery,
  rfc9110,
  rfc9112,
  cors,
  events,
  webhooks,
];
