// How the service is: asked by whoever started it, also before it is ready for anything else.
import type { Health, Opened } from "../src/ground";
import { recordAnswer } from "./answer";

export function healthStatus({ healthy }: Health): number {
  return healthy ? 200 : 503;
}

export async function healthAnswer(opened: Opened, requestId: string): Promise<Response> {
  const health = await opened.health();
  return recordAnswer(healthStatus(health), health, requestId);
}
