// Public operations about the service itself.
import { Type } from "typebox";
import { operation, StatusAnswer } from "./operation";

const tag = "Operations";

export const HealthSchema = Type.Object({ healthy: Type.Boolean(), reason: Type.Optional(Type.String()) });

export const serviceOperations = [
  operation("GET", "/v1/health", {
    id: "service-health",
    credential: "public",
    tag,
    summary: "Get the health of the service",
    success: { status: 200, schema: HealthSchema },
    errors: [503],
    others: { 503: HealthSchema },
    handle: async ({ runtime }) => {
      const health = await runtime.health();
      return new StatusAnswer(health.healthy ? 200 : 503, health);
    },
  }),
];
