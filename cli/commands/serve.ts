// `runtime serve`.
import { refuseServer } from "../client/client";
import { verb } from "../command";

export const verbs = [
  verb({
    usage: "serve",
    summary:
      "Run the server. The first line on standard error is its address; it is ready when GET /readyz returns 200.",
    examples: [
      "runtime serve",
      "runtime serve --dev",
      "runtime serve --host 0.0.0.0 --tls-cert server.pem --tls-key server.key",
    ],
    flags: [
      {
        flag: "--dev",
        meaning:
          "for this machine only: with the access log, and with an admin key that is printed once on standard output and ends with the server",
      },
      { flag: "--host <address>", meaning: "address to listen on" },
      { flag: "--port <port>", meaning: "port; 0 selects a free one" },
      { flag: "--tls-cert <file>", meaning: "certificate with its chain (PEM); read again on SIGHUP" },
      { flag: "--tls-key <file>", meaning: "its private key (PEM)" },
      { flag: "--log-level <level>", meaning: "debug, info, warn, error or silent (default: info)" },
      {
        flag: "--log-format <format>",
        meaning:
          "json or text for all lines, also the first (default: the bare address, then text on a terminal and json elsewhere)",
      },
      { flag: "--log-access", meaning: "one log line for each request" },
    ],
    read: (line) => ({
      host: line.text("host"),
      port: line.text("port"),
      "tls.cert": line.text("tls-cert"),
      "tls.key": line.text("tls-key"),
      "log.level": line.text("log-level"),
      "log.format": line.text("log-format"),
      "log.access": line.has("log-access") || line.has("dev") ? "true" : undefined,
      isDev: line.has("dev"),
    }),
    run: async (io, common, options) => {
      refuseServer(common, "serve");
      return (await import("../serve")).serve(io, common, options);
    },
  }),
];
