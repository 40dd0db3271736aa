import type { Clock } from "../../domain/clock.ts";
import type { Outbox } from "../outbox.ts";
import { countEnded, ended } from "../tables/ended.ts";
import type { Engine } from "../tables/engine.ts";
import { arrived, discarded, dropped, sendAgain } from "./decisions.ts";
import type { Decide } from "./effects.ts";

type Verbs = Pick<Outbox, "ended" | "countEnded" | "sendAgain" | "arrived" | "dropped" | "discarded">;

/** The outbox's verbs about messages that have ended or are held: what people see of them, and decide. */
export const endedVerbs = ({ read }: Pick<Engine, "read">, decide: Decide, clock: Clock): Verbs => ({
  ended: (accountId, limit, filter) => read((tx) => ended(tx, accountId, limit, filter)),
  countEnded: (accountId) => read((tx) => countEnded(tx, accountId)),
  sendAgain: (accountId, id, patienceMs, by) =>
    decide(accountId, id, by, (effects) => sendAgain(effects, accountId, id, clock.now(), patienceMs)),
  arrived: (accountId, id, how, by) =>
    decide(accountId, id, by, (effects) => arrived(effects, accountId, id, how, clock.now())),
  dropped: (accountId, id, by) => decide(accountId, id, by, (effects) => dropped(effects, accountId, id, clock.now())),
  discarded: (accountId, id, by) => decide(accountId, id, by, (effects) => discarded(effects, accountId, id)),
});
