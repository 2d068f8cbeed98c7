// The contract of the store port, for SQLite and for an engine that answers later.
import { openSqlite } from "../../src/store";
import { openLateStore } from "../support/late-store";
import { storeContract } from "./contract";

storeContract("sqlite", openSqlite);
storeContract("late engine", openLateStore);
