import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "./chance.ts";
import type { Finding } from "./judge.ts";
import type { Machine } from "./machine.ts";
import type { Time } from "./time.ts";

/** Operators of the server: their commands work on its files while it runs. */
export interface Operators {
  /** From now on until `end`, ms of virtual time. */
  act(end: number): void;
  /** Ends what they have begun, which must succeed now, and checks the results. */
  settle(): Promise<Finding[]>;
  /** What must not be in a log. */
  secrets(): string[];
}

interface Parts {
  time: Time;
  chance: Chance;
  machine: Machine;
  /** The server's settings, from its next start on. */
  env: Record<string, string>;
  /** For backups. */
  folder: string;
  /** Addresses of the CRMs. */
  crms: string[];
  /** Of a person's messages, on average, ms. */
  intervalMs: number;
}

/** On average one act per this many messages of a person. */
const PER_ACT = 12;
/** Retry interval of a command, and number of retries once all is calm; ms. */
const [AGAIN_MS, MOST_TRIES] = [5_000, 10];
const KEY_BYTES = 32;

export function createOperators({ time, chance, machine, env, folder, crms, intervalMs }: Parts): Operators {
  const keys: string[] = [];
  const backups: string[] = [];
  const findings: Finding[] = [];
  let isCalm = false;
  let acting = Promise.resolve();
  const newKey = () => {
    const draw = chance.stream(`key ${keys.length}`);
    const bytes = Uint8Array.from({ length: KEY_BYTES }, () => 256 * draw());
    keys.push(`k${keys.length}:${Buffer.from(bytes).toString("base64")}`);
    return keys.at(-1) as string;
  };
  /**
   * Retries until it succeeds: the disk may be full, and the machine may die. False, and a finding, if it fails in the
   * calm.
   */
  const succeed = async (args: () => string[]): Promise<boolean> => {
    for (let tries = 0; tries < MOST_TRIES; tries += isCalm ? 1 : 0) {
      const given = args();
      const done = await machine.command(given);
      if (done?.code === 0) return true;
      if (tries === MOST_TRIES - 1) findings.push(`gangway ${given.join(" ")}: ${done?.said ?? "the server is down"}`);
      await time.pause(AGAIN_MS);
    }
    return false;
  };
  const restart = async () => {
    const life = machine.lives();
    do {
      if (machine.lives() === life) machine.restart();
      await time.pause(AGAIN_MS);
    } while (!machine.isReady() || machine.lives() === life);
  };
  const acts: [kind: string, act: () => Promise<void>][] = [
    [
      "backup",
      async () => {
        mkdirSync(folder, { recursive: true });
        let [file, n] = ["", 0];
        const another = () => {
          // What a failed command left behind would fill the memory.
          for (const left of [file, `${file}.files`]) if (file) rmSync(left, { recursive: true, force: true });
          file = join(folder, `${backups.length}-${n++}.db`);
          return ["backup", file];
        };
        if (await succeed(another)) backups.push(file);
      },
    ],
    [
      "rotate keys",
      async () => {
        const [old, fresh] = [env.SECRET_KEYS, newKey()];
        env.SECRET_KEYS = `${fresh},${old}`;
        await restart();
        if (await succeed(() => ["keys", "rotate"])) env.SECRET_KEYS = fresh;
      },
    ],
    [
      "replay",
      async () => {
        for (const account of crms) await succeed(() => ["replay", "--account", account, "--from", "1h"]);
      },
    ],
  ];
  env.SECRET_KEYS = newKey();
  return {
    act(end) {
      const next = () => {
        const wait = chance.wait("operator's rest", PER_ACT * intervalMs);
        if (time.now() + wait > end) return;
        time.after(wait, () => {
          const [kind, act] = chance.pick("operator's act", acts);
          if (!chance.strikes("operator", 1, kind)) return next();
          acting = act();
          void acting.then(next);
        });
      };
      next();
    },
    async settle() {
      isCalm = true;
      await acting;
      // Backups need the keys of their time.
      env.SECRET_KEYS = [env.SECRET_KEYS, ...keys.filter((key) => !env.SECRET_KEYS?.includes(key))].join(",");
      for (const file of backups) await succeed(() => ["verify", file]);
      // What was erased is rewritten by then.
      await restart();
      await succeed(() => ["verify"]);
      return findings;
    },
    secrets: () => keys.map((key) => key.slice(key.indexOf(":") + 1)),
  };
}
