// The minimal server of `Bun.serve`.
import { serve } from "./serve";

await serve(() => new Response("hello"));
