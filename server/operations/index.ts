// The operation table.
import { authProviderOperations } from "./auth-providers";
import { authorizationOperations } from "./authorization";
import { connectionOperations } from "./connections";
import { discoveryOperations } from "./discovery";
import { formattedToolOperations } from "./formatted-tools";
import type { Operation } from "./operation";
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
  ...serviceOperations,
  ...discoveryOperations,
];
export { type AnyCall, type Operation, StatusAnswer } from "./operation";
