import { openOnPostgres } from "../../support/postgres-engine";
import { storeContract } from "../contract";

storeContract("PostgreSQL", (options) => openOnPostgres(options, process.env["PGURL"] ?? ""));
