// The webhook server of the bench: it reads the request and answers OK.
import { serve } from "./serve";

const OK = '{"code":"OK"}';
const init = { headers: { "content-type": "application/json" } };

await serve(async (request) => {
  await request.json();
  return new Response(OK, init);
});
