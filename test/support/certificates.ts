// Certificates made for a test, each with a key of its own.
import { join } from "node:path";

export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate for loopback addresses, good for two days, whose subject is `name`, as files in the folder. */
export function makeCertificate(
  folder: string,
  name: string,
  algorithm: "ec" | "rsa" = "ec",
  ...extensions: string[]
): Certificate {
  const cert = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key`);
  const newKey = algorithm === "rsa" ? "rsa:2048" : "ec -pkeyopt ec_paramgen_curve:prime256v1";
  const made = Bun.spawnSync(
    `openssl req -x509 -newkey ${newKey} -nodes -days 2 -subj /CN=${name} -keyout ${key}
      -out ${cert} -addext subjectAltName=DNS:localhost,IP:127.0.0.1`
      .split(/\s+/)
      .concat(extensions.flatMap((one) => ["-addext", one])),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  return { cert, key };
}
