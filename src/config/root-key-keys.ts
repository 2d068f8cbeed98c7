// The settings that say where the root key is.
import { argumentList, credentialName, path, seconds, text } from "./types";

export const ROOT_KEY_KEYS = {
  root_key: {
    schema: text,
    secret: true,
    meaning: "root key of the encryption at rest, 32 bytes as base64 or hex",
  },
  root_key_file: {
    schema: path,
    meaning: "file with the root key; default: root.key next to the configuration file",
  },
  "root_key.command": {
    schema: argumentList,
    json: true,
    meaning:
      "program with its arguments that prints the root key (a KMS, an HSM or a vault); started without a shell",
  },
  "root_key.next_command": {
    schema: argumentList,
    json: true,
    meaning: "the same for the root key that the next rotation makes current",
  },
  "root_key.command_timeout": {
    schema: seconds,
    default: 30,
    meaning: "time limit for root_key.command",
  },
  "root_key.credential": {
    schema: credentialName,
    meaning: "name of a systemd credential that contains the root key, in $CREDENTIALS_DIRECTORY",
  },
  "root_key.next_credential": {
    schema: credentialName,
    meaning: "the same for the root key that the next rotation makes current",
  },
} as const;
