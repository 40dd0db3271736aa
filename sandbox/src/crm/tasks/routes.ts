import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { create, edit, recordBy } from "../resource/resource.ts";
import { historyRoute, listRoute, writingOf } from "../resource/routes.ts";
import { commentsRoute } from "./comments.ts";
import { TASK } from "./task.ts";

export function taskRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { rows } = gateway.world.tables.tasks;
  const taskBy = (id: string) => recordBy(gateway, "tasks", id, { by: "id" });
  const given = (body: unknown) => (body as { task: Entry }).task;
  const shown = (task: Entry) => TASK.shown(gateway, task);
  historyRoute(site, gateway, "tasks", {
    history: "tasks",
    one: "task",
    by: "task",
    record: (id) => rows.get(id),
    named: ({ id }) => ({ id }),
    whole: shown,
  });
  listRoute(site, gateway, TASK);
  commentsRoute(site, gateway);
  site.post("/api/v5/tasks/create", (c) => {
    const { id } = create(TASK, writingOf(c, gateway), given(bodyOf(c)));
    return c.json({ success: true, id }, 201);
  });
  site.get("/api/v5/tasks/:id", (c) => c.json({ success: true, task: shown(taskBy(c.req.param("id"))) }));
  site.post("/api/v5/tasks/:id/edit", (c) => {
    edit(TASK, writingOf(c, gateway), taskBy(c.req.param("id")), given(bodyOf(c)));
    return c.json({ success: true });
  });
}
