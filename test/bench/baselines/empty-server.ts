// A server that does nothing, on the port it is told.
Bun.serve({ hostname: "127.0.0.1", port: Number(process.argv[2]), fetch: () => new Response("hello") });
