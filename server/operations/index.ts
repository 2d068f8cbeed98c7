// The operation table.
import { authProviderOperations } from "./auth-providers";
import { authorizationOperations } from "./authorization";
import { connectionOperations } from "./connections";
import { discoveryOperations } from "./discovery";
import { formattedToolOperations } from "./formatted-tools";
import { hookOperations } from "./hooks";
import type { Operation } from "./operation";
import { pluginOperations } from "./plugins";
import { secretOperations } from "./secrets";
import { serviceOperations } from "./service";
import { settingsOperations } from "./settings";
import { toolOperations } from "./tools";

export const operations: readonly Operation[] = [
  ...authProviderOperations,
  ...secretOperations,
  ...settingsOperations,
  ...connectionOperations,
  ...authorizationOperations,
  ...toolOperations,
  ...formattedToolOperations,
  ...hookOperations,
  ...pluginOperations,
  ...serviceOperations,
  ...discoveryOperations,
];
export { type AnyCall, type Operation, StatusAnswer } from "./operation";
