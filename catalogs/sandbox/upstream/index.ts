// What the sandbox has besides the platforms, at one address: a language model, a service with an API and an MCP server.
import { answerModel } from "../models";
import { Inventory, type Item } from "./inventory";
import { Notes } from "./notes";

export interface SavedUpstream {
  items: readonly Item[];
  notes: readonly string[];
}

export interface Upstream {
  readonly port: number;
  /** Base address of the model server. */
  readonly modelUrl: string;
  /** Base address of the service: `openapi.json`, `items`, and the worker. */
  readonly inventoryUrl: string;
  readonly notesUrl: string;
  saved(): SavedUpstream;
  stop(): Promise<void>;
}

export interface UpstreamOptions {
  /** 0: any free port. */
  readonly port: number;
  /** What callers of the worker sign with. */
  readonly workerSecret: string;
  readonly saved?: SavedUpstream | undefined;
  /** Called after each change of what `saved` returns. */
  readonly changed: () => void;
}

const MODEL = "/model/v1";
const INVENTORY = "/inventory";
const NOTES = "/notes/mcp";

/** Listens on 127.0.0.1. Throws if the port is taken. */
export function startUpstream({ port, workerSecret, saved, changed }: UpstreamOptions): Upstream {
  const inventory = new Inventory(workerSecret, saved?.items, changed);
  const notes = new Notes(saved?.notes, changed);
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port,
    development: false,
    // Without this, `development: false` lets a second server share the port silently.
    reusePort: false,
    fetch: (request): Response | Promise<Response> => {
      const { pathname, origin } = new URL(request.url);
      if (pathname === NOTES) return notes.answer(request);
      if (pathname.startsWith(`${MODEL}/`)) return answerModel(request, pathname.slice(MODEL.length));
      if (pathname.startsWith(`${INVENTORY}/`))
        return inventory.answer(request, pathname.slice(INVENTORY.length), origin + INVENTORY);
      return new Response("Not found.\n", { status: 404 });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    port: Number(server.port),
    modelUrl: url + MODEL,
    inventoryUrl: url + INVENTORY,
    notesUrl: url + NOTES,
    saved: () => ({ items: inventory.items, notes: notes.notes }),
    stop: () => server.stop(true),
  };
}
