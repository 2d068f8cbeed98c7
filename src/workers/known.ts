// A worker of a project, from its table or from the configuration, and what its calls need.
import type { Keyring } from "../crypto";
import { configOf, userKeyIdsOf } from "./config";
import { type SignIdentity, workerIdentity } from "./identity";
import type { WorkerRow } from "./repository";
import { type GivenSecrets, secretsForCall } from "./secrets";
import { Redacted } from "../base";
import { type LoadedWorker, WorkerFailure } from "./tool";
import type { WorkerType } from "./schema";
import { filledAddress, filledTexts, headerUserId, referredTo } from "./user-values";

export interface KnownWorker {
  row: WorkerRow;
  /** Of the configuration: its secrets. */
  fixed?: GivenSecrets;
}

export function typeOf({ type }: Pick<WorkerRow, "type">): WorkerType {
  return type === "http" ? "http" : "mcp";
}

/** What loading a worker takes. */
export interface Loading {
  keyring: Keyring;
  sign: SignIdentity;
}

export function loadedWorker({ keyring, sign }: Loading, { row, fixed }: KnownWorker): LoadedWorker {
  const config = configOf(row);
  const secrets = async (): Promise<GivenSecrets> => fixed ?? (await secretsForCall(keyring, row));
  const audience = { projectId: row.project_id, uri: row.uri };
  return {
    projectId: row.project_id,
    id: row.id,
    createdAt: row.created_at,
    type: typeOf(row),
    uri: row.uri,
    ...(referredTo(row.uri).length === 0
      ? {}
      : { address: async () => filledAddress(row.uri, (await secrets()).secrets ?? {}) }),
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
    userKeys: userKeyIdsOf(row),
    ...(config.authorization === undefined
      ? {}
      : { providerId: config.authorization.provider, scopes: config.authorization.scopes }),
    ...(config.identity_header === undefined
      ? {}
      : { identity: workerIdentity(sign, audience, config.identity_header) }),
  };
}
