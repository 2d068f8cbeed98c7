// Loaded before a server that would listen on all addresses: in tests, servers listen on loopback.
import http from "node:http";

const { listen } = http.Server.prototype;
http.Server.prototype.listen = function (port, ...rest) {
  const callback = rest.find((one) => typeof one === "function");
  return listen.call(this, { port: Number(port), host: "127.0.0.1" }, callback);
};
