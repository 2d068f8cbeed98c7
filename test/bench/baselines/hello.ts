// The least that `Bun.serve` can do.
import { serve } from "./serve";

await serve(() => new Response("hello"));
