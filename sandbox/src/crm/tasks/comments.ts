import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { recordBy } from "../resource/resource.ts";
import { crmTime } from "../times.ts";

// Comments are written by users in the CRM; its API only reads them. No source names the field under which the history
// of tasks tells of them, so it does not.

/** A task's comments, oldest first. */
export function commentsOf({ world: { tables } }: Gateway, task: unknown): Entry[] {
  const { rows, having } = tables.taskComments;
  return having("task", task).map((id) => shown(rows.get(id) as Entry));
}

const shown = ({ task: _, ...comment }: Entry): Entry => comment;

export function commentsRoute(site: Hono<Env>, gateway: Gateway): void {
  site.get("/api/v5/tasks/:id/comments", (c) => {
    const { id } = recordBy(gateway, "tasks", c.req.param("id"), { by: "id" });
    return listed(c, { name: "comments", entries: commentsOf(gateway, id), supported: {}, shown: (each) => each });
  });
}

/** A user's comment. Throws a Refusal for an unknown task. */
export function comment(gateway: Gateway, task: string, creator: number, text: string): Entry {
  const { world, clock } = gateway;
  const { id } = recordBy(gateway, "tasks", task, { by: "id" });
  const entry = { id: world.nextId(), task: id, text, creator, createdAt: crmTime(clock.now()) };
  world.tables.taskComments.put(entry);
  return shown(entry);
}

/** Throws a Refusal for an unknown comment. */
export function changeComment({ world, clock }: Gateway, id: number, text: string): Entry {
  const { rows, put } = world.tables.taskComments;
  const before = rows.get(id);
  if (!before) throw new Refusal(404, "Not found", "the comment exists");
  const entry = { ...before, text, updatedAt: crmTime(clock.now()) };
  put(entry);
  return shown(entry);
}

/** With the task. */
export function dropComments(gateway: Gateway, task: unknown): void {
  for (const { id } of commentsOf(gateway, task)) gateway.world.tables.taskComments.remove(Number(id));
}
