// A worker of a project, from its table or from the configuration, and what its calls need.
import type { Keyring } from "../crypto";
import { configOf } from "./config";
import type { WorkerRow } from "./repository";
import { type GivenSecrets, secretsForCall } from "./secrets";
import { Redacted } from "../base";
import { type LoadedWorker, WorkerFailure } from "./tool";
import type { WorkerType } from "./schema";
import { filledTexts, headerUserId, userKeysOf } from "./user-values";

export interface KnownWorker {
  row: WorkerRow;
  /** Of the configuration: its secrets. */
  fixed?: GivenSecrets;
}

export function typeOf({ type }: Pick<WorkerRow, "type">): WorkerType {
  return type === "http" ? "http" : "mcp";
}

export function loadedWorker(keyring: Keyring, { row, fixed }: KnownWorker): LoadedWorker {
  const config = configOf(row);
  const secrets = async (): Promise<GivenSecrets> => fixed ?? (await secretsForCall(keyring, row));
  return {
    projectId: row.project_id,
    id: row.id,
    type: typeOf(row),
    uri: row.uri,
    timeoutMs: config.timeout * 1000,
    retry: config.retry,
    toolkit: row.toolkit,
    sendTokens: config.send_tokens,
    trustAnnotations: config.trust_annotations,
    strictResults: config.strict_results,
    secret: async () => {
      const { secret } = await secrets();
      if (secret === undefined) throw new WorkerFailure("refused", "It has no secret. Set it again.");
      return new Redacted(secret);
    },
    ...(config.stdio === undefined ? {} : { stdio: config.stdio }),
    secrets: async () => (await secrets()).secrets ?? {},
    headers: async (user) => {
      if (config.headers === undefined) return {};
      const { secrets: values = {} } = await secrets();
      return filledTexts(config.headers, { secrets: values, user, userId: headerUserId });
    },
    userKeys: userKeysOf({ ...config.headers, ...config.stdio?.environment }),
    ...(config.authorization === undefined
      ? {}
      : { providerId: config.authorization.provider, scopes: config.authorization.scopes }),
  };
}
